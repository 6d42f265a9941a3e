//! Properties that random inputs test, and the inputs that fuzzing has kept.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and the harness is shared with the wire tests"
)]

#[path = "../fuzz/checks/mod.rs"]
mod checks;
#[path = "../harness/mod.rs"]
mod harness;

mod config_schema;
mod corpus;
mod corrected;
mod model;
mod story;
