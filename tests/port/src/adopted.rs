//! The first form: docs-mcp's own `server.rs`, byte for byte, with its tools adopted.
//!
//! `#[tool_router]` makes `tool_router()` private to its module, so `registry` stands in that module, as it would for
//! docs-mcp's author.

use pd_runtime::{PdServer, Registry, ServerBuilder, check::RegistryErrors};

include!("../docs-mcp/server.rs");

/// Returns all twelve tools, as rmcp's macros declare them.
///
/// # Errors
///
/// Returns the names that two tools share.
pub fn registry() -> Result<Registry<DocsMcpServer>, RegistryErrors> {
    Registry::builder()
        .adopt(DocsMcpServer::tool_router())
        .build()
}

/// Builds the server. docs-mcp's handler says who the server is and how to use it.
///
/// # Errors
///
/// See [`registry()`].
pub fn server(
    state: AppState,
) -> Result<ServerBuilder<DocsMcpServer, DocsMcpServer>, RegistryErrors> {
    let server = DocsMcpServer::new_with_state(Arc::new(state));
    Ok(PdServer::builder(registry()?, server.clone())
        .listing(pd_runtime::Listing::Minimal)
        .with_handler(server))
}
