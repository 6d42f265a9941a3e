//! The endpoint with rmcp in it, asked without a network in between.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod bodies;
mod foreign;
mod lifetime;
mod numbers;
mod paths;
mod replicas;
mod site;
mod under_way;
