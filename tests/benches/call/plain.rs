//! What an author writes with rmcp alone: a server that keeps its router.

use super::tools::Tools;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::tool::{ToolCallContext, ToolRouter},
    model::{
        CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig,
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
        Self {
            tools: T::default(),
            router: T::router(),
        }
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
        self.router
            .call(ToolCallContext::new(&self.tools, params, context))
            .await
    }
}
