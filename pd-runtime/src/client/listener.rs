//! Notifications of changed tools: the counter of changes, and the rmcp handler that counts them.

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

/// The number of times that a server reported a change of its tools. Clones share the counter.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeCounter(Arc<AtomicU64>);

impl ChangeCounter {
    pub(super) fn record(&self) {
        // A counter instead of a flag: several clients share it, and each compares it with the
        // value that it kept with its list.
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// An rmcp client handler that notifies [`Client`](super::Client) when a server's tools change. It
/// wraps your own handler, or none.
///
/// It also declares the extension `dev.pd-runtime/disclosure`, so that servers built with this
/// crate send digests, and send tickets next to the descriptions. Everything else goes to your own
/// handler.
///
/// ```no_run
/// use pd_runtime::{client::{Client, ListChangedHandler}, rmcp::{ServiceExt, model::ClientConfig}};
///
/// # use std::error::Error;
/// # async fn connect(transport: tokio::io::DuplexStream) -> Result<(), Box<dyn Error>> {
/// let running = ListChangedHandler::new().serve(transport).await?;
/// // … or `ListChangedHandler::with_handler(my_handler)`.
/// let tools = Client::new(&running).await?;
/// # Ok(())
/// # }
/// ```
pub struct ListChangedHandler {
    handler: Box<dyn DynService<RoleClient>>,
    pub(super) changes: ChangeCounter,
}

impl ListChangedHandler {
    /// Creates a handler that wraps none: it declines the server's requests.
    pub fn new() -> Self {
        Self::with_handler(())
    }

    /// Creates a handler that wraps your own.
    pub fn with_handler(handler: impl Service<RoleClient>) -> Self {
        Self {
            handler: handler.into_dyn(),
            changes: ChangeCounter::default(),
        }
    }
}

impl Default for ListChangedHandler {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ListChangedHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListChangedHandler")
            .field("changes", &self.changes)
            .finish_non_exhaustive()
    }
}

impl Service<RoleClient> for ListChangedHandler {
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
            // Counted before your handler runs, so that a refresh in that handler already sees the
            // change.
            self.changes.record();
        }
        (*self.handler)
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> ClientConfig {
        let mut info = (*self.handler).get_info();
        info.capabilities
            .extensions
            .get_or_insert_default()
            .extend(extension::declaration());
        info
    }
}

/// Returns whether a notification reports a change. A change of groups counts, too: it may change
/// the tools in groups while the top-level list stays the same.
pub(super) fn is_change(notification: &ServerNotification) -> bool {
    match notification {
        ServerNotification::ToolListChangedNotification(_) => true,
        ServerNotification::CustomNotification(custom) => {
            custom.method == "notifications/groups/list_changed"
        }
        _ => false,
    }
}
