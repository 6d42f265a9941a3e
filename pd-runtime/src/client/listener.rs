//! Hearing that a server's tools changed: a counter, and the handler that counts.

use crate::surface::extension;
use rmcp::{
    ErrorData, RoleClient,
    model::{ClientConfig, ClientResult, ServerNotification, ServerRequest},
    service::{DynService, NotificationContext, RequestContext, Service, ServiceExt},
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// How often a server has said that its tools changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes(Arc<AtomicU64>);

impl Changes {
    pub(super) fn record(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// An rmcp client handler that tells [`Client`](super::Client) when tools change, around your own handler or none.
///
/// It also declares the extension `dev.pd-runtime/disclosure`, so that servers built with this crate answer with digests, and
/// with tickets beside the descriptions. All else goes to your own handler.
///
/// ```no_run
/// use pd_runtime::{client::{Client, Listener}, rmcp::{ServiceExt, model::ClientConfig}};
///
/// # async fn connect(transport: tokio::io::DuplexStream) -> Result<(), Box<dyn std::error::Error>> {
/// let running = Listener::new().serve(transport).await?;
/// // … or `Listener::around(my_handler)`.
/// let tools = Client::new(&running).await?;
/// # Ok(())
/// # }
/// ```
pub struct Listener {
    handler: Box<dyn DynService<RoleClient>>,
    pub(super) changes: Changes,
}

impl Listener {
    /// Around no handler: requests of the server are declined.
    pub fn new() -> Self {
        Self::around(())
    }

    /// Around your own handler.
    pub fn around(handler: impl Service<RoleClient>) -> Self {
        Self { handler: handler.into_dyn(), changes: Changes::default() }
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("changes", &self.changes).finish_non_exhaustive()
    }
}

impl Service<RoleClient> for Listener {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        (*self.handler).handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ServerNotification,
        context: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        if is_change(&notification) {
            self.changes.record();
        }
        (*self.handler).handle_notification(notification, context).await
    }

    fn get_info(&self) -> ClientConfig {
        let mut info = (*self.handler).get_info();
        info.capabilities.extensions.get_or_insert_default().extend(extension::declaration());
        info
    }
}

/// Groups may change while the top level does not, and tools in them with them.
pub(super) fn is_change(notification: &ServerNotification) -> bool {
    match notification {
        ServerNotification::ToolListChangedNotification(_) => true,
        ServerNotification::CustomNotification(custom) => custom.method == "notifications/groups/list_changed",
        _ => false,
    }
}
