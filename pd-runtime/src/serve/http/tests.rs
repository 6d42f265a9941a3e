//! The endpoint with rmcp, called without a network.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod addresses;
mod at_once;
mod bodies;
mod cross_origin;
mod foreign;
mod lifetime;
mod numbers;
mod paths;
mod pending_bodies;
mod plain_calls;
mod replicas;
mod site;
mod streams;
mod under_way;
mod unguarded;
mod unreadable;
