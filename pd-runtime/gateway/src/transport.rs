//! The two ways to a server: a process and its pipes, and HTTP.

pub(crate) mod child_environment;
pub(crate) mod child_input;
pub(crate) mod child_processes;
pub(crate) mod http;
pub(crate) mod link;
#[cfg(unix)]
mod orphan_guard;
pub(crate) mod spawn_failure;
pub(crate) mod stdio;
