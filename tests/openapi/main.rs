//! OpenAPI documents as tools: real documents, an API made from one, and attacks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../harness/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
pub(crate) mod harness;

mod answers;
mod attacks;
mod credentials;
mod files;
mod forms;
mod front;
mod gateway;
mod lock;
mod mock;
mod programs;
mod real_documents;
