//! Names of MCP's and this project's protocol parts, and what a client has negotiated.

pub(crate) mod extensions;
pub(crate) mod headers;
pub(crate) mod keys;
pub(crate) mod negotiated;
