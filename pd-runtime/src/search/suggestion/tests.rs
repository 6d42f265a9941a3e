//! Tests of suggestions.
