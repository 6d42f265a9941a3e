//! Names from MCP and from this project's protocol, what a client has negotiated, and the identity
//! that its usage is charged to.

pub(crate) mod answer_memory;
pub(crate) mod extensions;
pub mod headers;
pub mod json_value;
pub mod keys;
pub(crate) mod large_texts;
mod lossless;
pub(crate) mod lossy;
pub(crate) mod negotiated;
pub(crate) mod quota_key;
pub(crate) mod repair;
pub(crate) mod session_end;
pub(crate) mod unreadable;

use rmcp::{RoleServer, ServerHandler, service::Service};

/// Returns the service that answers requests with this handler.
pub(crate) fn service<H: ServerHandler>(handler: H) -> impl Service<RoleServer> {
    lossless::LosslessService(handler)
}
