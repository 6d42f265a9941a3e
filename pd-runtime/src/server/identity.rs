//! The server's name and version, which come from the registry's author, the author's handler or
//! this crate.

use crate::{
    catalog::Catalog,
    registry::{Registry, RegistryInfo, rmcp_import::ADOPTED},
};
use rmcp::{ServerHandler, model::Implementation};

impl RegistryInfo {
    /// Takes the handler's name and version if the registry's author set none.
    pub(super) fn yield_to(&mut self, handler: &Implementation) {
        if !is_named(handler) {
            return;
        }
        if !self.has_own_name {
            self.name = handler.name.clone().into();
        }
        if !self.has_own_version {
            self.version = handler.version.clone().into();
        }
    }
}

/// Logs a warning if none of the handler's own tools is served. A handler without its tools
/// compiles, so nothing else would reveal the mistake.
pub(super) fn warn_of_lost_tools(registry: &Registry<()>, handler: &impl ServerHandler) {
    // One known tool is enough: an author who moves tools one by one serves only some of them.
    if handler.get_info().capabilities.tools.is_some()
        && !registry
            .tools
            .iter()
            .any(|tool| tool.about.origin == ADOPTED || handler.get_tool(tool.name()).is_some())
    {
        tracing::warn!(
            "the handler that the server is built around declares tools, and none of them is served; add them with \
             `Registry::adopt(Handler::tool_router())`, or leave `enable_tools()` out of its `get_info`"
        );
    }
}

/// Returns whether the author named the handler. Otherwise `get_info` returns rmcp's own name and
/// version, or empty ones.
fn is_named(handler: &Implementation) -> bool {
    // rmcp's default `get_info` reports rmcp's own crate name, which does not identify this
    // server.
    let rmcp = Implementation::from_build_env();
    let is_default = handler.name == rmcp.name && handler.version == rmcp.version;
    !is_default && !handler.name.is_empty()
}

/// Returns the `serverInfo` of a catalog. The title, description, website and icons are the
/// handler's.
pub(super) fn implementation(catalog: &Catalog, handler: Implementation) -> Implementation {
    let mut own = handler;
    own.name = catalog.info.name.to_string();
    own.version = catalog.info.version.to_string();
    own
}
