//! What the benches over HTTP share: clients that cost little, and servers on a local port.
#![allow(dead_code, reason = "each bench uses a part of it")]

pub(crate) mod client;
pub(crate) mod connection;
pub(crate) mod server;

/// Whatever went wrong; the bench ends with it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
