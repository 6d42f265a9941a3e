//! The wire suite under `Listing::Reveal`.

#[path = "main.rs"]
mod suite;

use suite::harness;
