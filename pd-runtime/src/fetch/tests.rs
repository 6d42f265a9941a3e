//! Fetches from servers of our own.
