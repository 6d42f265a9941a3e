//! The wire suite under `Listing::Grouped`.

#[path = "main.rs"]
mod suite;

use suite::harness;
