//! The endpoint with rmcp in it, asked without a network in between.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod at_once;
mod bodies;
mod foreign;
mod lifetime;
mod numbers;
mod paths;
mod plain_calls;
mod replicas;
mod site;
mod under_way;
