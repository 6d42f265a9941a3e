//! Compiles and runs every case that must compile: the accepted forms (`ui/pass`), odd surroundings (`hygiene`), inputs
//! of the goldens (`expand`), what we rely on of rustc (`compiler/pass`), and every mistake of `ui/fail` with its mend.

#![allow(
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::todo,
    clippy::unimplemented,
    clippy::unwrap_used,
    dead_code,
    dropping_copy_types,
    missing_debug_implementations,
    missing_docs,
    unnameable_types,
    unreachable_pub,
    reason = "a case has its own lints"
)]

include!(concat!(env!("OUT_DIR"), "/accepted.rs"));
