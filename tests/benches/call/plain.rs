//! What an author writes with rmcp alone: a server that keeps its router, and one that serves a constant text.

use super::tools::Tools;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::tool::{ToolCallContext, ToolRouter},
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};

/// rmcp's tools behind a router that is built once.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    tools: T,
    router: ToolRouter<T>,
}

impl<T: Tools> Kept<T> {
    /// Builds the router.
    pub(crate) fn new() -> Self {
        Self { tools: T::default(), router: T::router() }
    }
}

impl<T: Tools> ServerHandler for Kept<T> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.router.list_all()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.router.call(ToolCallContext::new(&self.tools, params, context)).await
    }
}

/// A text as a resource, whatever its URI; clients may not cache it, as they may not cache ours.
#[derive(Debug)]
pub(crate) struct Constant(pub(crate) String);

impl ServerHandler for Constant {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text(self.0.clone(), params.uri).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }
}
