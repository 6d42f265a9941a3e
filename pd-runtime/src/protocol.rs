//! Names from MCP and from this project's protocol, what a client has negotiated, and the identity
//! that its usage is charged to.

pub(crate) mod answer_memory;
pub(crate) mod extensions;
pub(crate) mod headers;
pub(crate) mod json_value;
pub(crate) mod keys;
#[cfg(feature = "gateway")]
pub(crate) mod large_texts;
#[cfg(feature = "gateway")]
mod lossless;
#[cfg(feature = "gateway")]
pub(crate) mod lossy;
pub(crate) mod negotiated;
pub(crate) mod quota_key;
pub(crate) mod session_end;

use rmcp::{RoleServer, ServerHandler, service::Service};

/// Returns the service that answers requests with this handler.
#[cfg(feature = "gateway")]
pub(crate) fn service<H: ServerHandler>(handler: H) -> impl Service<RoleServer> {
    lossless::LosslessService(handler)
}

#[cfg(not(feature = "gateway"))]
pub(crate) fn service<H: ServerHandler>(handler: H) -> impl Service<RoleServer> {
    handler
}
