//! The agent's side against servers: ours in every listing and era, a plain one, and several at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "what the wire tests need beside")]
#[path = "../harness/mod.rs"]
pub(crate) mod harness;

mod agent;
mod changes;
mod listings;
mod names;
mod plain;
mod principals;
mod prompt;
mod provider;
mod rows;
mod signed;
mod timeouts;
