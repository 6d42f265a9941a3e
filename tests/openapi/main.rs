//! OpenAPI documents as tools: real documents, an API made from one, and attacks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod real_documents;
