//! Names from MCP and from this project's protocol, and what a client has negotiated.

pub(crate) mod extensions;
pub(crate) mod headers;
pub(crate) mod json_value;
pub(crate) mod keys;
pub(crate) mod negotiated;
