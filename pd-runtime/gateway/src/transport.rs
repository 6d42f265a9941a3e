//! The two ways to a server: a process and its pipes, and HTTP.

pub(crate) mod child_environment;
pub(crate) mod child_input;
pub(crate) mod child_processes;
pub(crate) mod http;
pub(crate) mod link;
#[cfg(unix)]
mod orphan_guard;
pub(crate) mod request_error;
pub(crate) mod spawn_failure;
pub(crate) mod stdio;

/// The most messages that wait to be handled. A transport stops reading while the queue is full.
pub(crate) const QUEUE: usize = 256;
/// The most requests that wait for one connection's responses.
pub(crate) const PENDING_MAX: usize = 1_024;
