//! Several replicas behind a proxy that sends each request to the next, with a real Redis server that comes and goes.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod bodies;
mod bounds;
mod caller;
mod deployment;
mod ended;
mod outage;
mod own_store;
mod owners;
mod processes;
mod proxy;
mod redis;
mod sharing;
mod texts;
