//! A server that serves a constant text, with rmcp alone.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};

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
        let contents =
            ResourceContents::text(self.0.clone(), params.uri).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private)
            .into())
    }
}
