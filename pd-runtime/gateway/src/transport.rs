//! The ways to a server, behind one trait: a process and its pipes, HTTP, and an API with a
//! document.
//!
//! `link` has the trait, and the events of a transport. `stdio` runs a child, `child_input` writes
//! to it, `child_environment` selects its variables, and `spawn_failure` explains why it did not
//! start. `child_processes` ends all children with the gateway, and `orphan_guard` does so after
//! the gateway was killed. `http` has streamable HTTP and HTTP+SSE. `openapi` answers for an
//! API that has no MCP server. `request_error` lists why a
//! request has no result.

pub(crate) mod child_environment;
pub(crate) mod child_input;
pub(crate) mod child_processes;
pub(crate) mod http;
pub(crate) mod link;
pub(crate) mod openapi;
#[cfg(unix)]
mod orphan_guard;
pub(crate) mod request_error;
pub(crate) mod spawn_failure;
pub(crate) mod stdio;

/// The most messages that wait to be handled. A transport stops reading while the queue is full.
pub(crate) const QUEUE: usize = 256;
/// The most requests that wait for one connection's responses.
pub(crate) const PENDING_MAX: usize = 1_024;
