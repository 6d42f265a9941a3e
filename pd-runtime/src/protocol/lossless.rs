//! A service that restores the keys of upstreams which rmcp's types do not have.

use super::lossy::LossyParts;
use rmcp::{
    ErrorData, RoleServer,
    model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult},
    service::{NotificationContext, RequestContext, Service},
};
use std::borrow::Cow;

/// A handler that receives [`LossyParts`] with each request.
pub(crate) struct LosslessService<H>(pub(crate) H);

impl<H: Service<RoleServer>> Service<RoleServer> for LosslessService<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let parts = LossyParts::default();
        // Both share their content: the handler adds to it, and the answer is restored from it.
        context.extensions.insert(parts.clone());
        // Errors have no lossy parts, so they pass as they are.
        let result = self.0.handle_request(request, context).await?;
        Ok(parts.restore(result))
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}
