//! What lists, signatures and whole conversations cost a model, counted by the tokenizer; and that signatures, which cost least,
//! lose nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and the harness is shared with the wire tests"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod conversation;
mod listing;
mod selective;
mod signatures;
