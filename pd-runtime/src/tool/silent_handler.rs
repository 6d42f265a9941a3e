//! The server's side of a connection that lasts for one call. Its client sends no requests.

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientNotification, ClientRequest, ErrorCode, ServerConfig, ServerResult},
    service::{NotificationContext, RequestContext, Service},
};

/// A handler that answers no requests.
#[derive(Debug)]
pub(crate) struct SilentHandler;

// `Service`, because the methods of `ServerHandler` would be compiled without use.
impl Service<RoleServer> for SilentHandler {
    async fn handle_request(
        &self,
        request: ClientRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let message = format!(
            "this connection is for one call, and answers no requests: {}",
            request.method()
        );
        // A client waits for an answer to each request (JSON-RPC 2.0, section 5).
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn handle_notification(
        &self,
        _: ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // A notification has no answer (JSON-RPC 2.0, section 4.1).
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::default()
    }
}
