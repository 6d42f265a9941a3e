//! Compiles and runs every case that must compile: the accepted forms (`ui/pass`), odd surroundings (`hygiene`), inputs
//! of the goldens (`expand`), what we rely on of rustc (`compiler/pass`), and every mistake of `ui/fail` with its mend.

#![allow(
    dead_code,
    dropping_copy_types,
    missing_debug_implementations,
    missing_docs,
    unnameable_types,
    unreachable_pub,
    reason = "a case has its own lints"
)]

// The cases are about the compiler; clippy does not check them.
#[cfg(not(clippy))]
include!(concat!(env!("OUT_DIR"), "/accepted.rs"));
