//! A built server, with the state that its author gave it.

use super::{
    NoHandler, PdHandler,
    erased_server::{EraseServerFn, ErasedServer, ServerParts},
    extras::ServerExtras,
    identity::warn_of_lost_tools,
    server_core::ServerCore,
};
use crate::{
    catalog::Catalog,
    policy::Policy,
    protocol::quota_key::QuotaKey,
    registry::{Registry, group::GroupView, problem::RegistryErrors, tool_source::GroupLine},
    selective::table::Table,
    server::dispatch::direct::{call_tool, unknown_tool},
    surface::meta_tools::group_index::whole_lines,
    tool::{
        context::CallContext,
        error::{IntoToolError, ToolError},
    },
};

use rmcp::{ServerHandler, model::CallToolResult};
use serde_json::Value;
use std::{fmt, sync::Arc, time::Duration};

/// A built server, which creates a handler for each connection. Clones share everything.
pub struct PdServer<S, H = NoHandler> {
    state: Arc<S>,
    served: Arc<ServerCore>,
    inner: Arc<H>,
    host: Arc<dyn ErasedServer>,
}

impl<S, H> Clone for PdServer<S, H> {
    fn clone(&self) -> Self {
        // Written by hand, because a derive would require `S: Clone` and `H: Clone`.
        let state = self.state.clone();
        let served = self.served.clone();
        let inner = self.inner.clone();
        Self {
            state,
            served,
            inner,
            host: self.host.clone(),
        }
    }
}

impl<S, H> fmt::Debug for PdServer<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdServer")
            .field("served", &self.served)
            .finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static, H: ServerHandler> PdServer<S, H> {
    pub(super) fn new(
        registry: Registry<S>,
        state: Arc<S>,
        policy: Policy,
        extras: ServerExtras,
        (inner, hosting): (Arc<H>, EraseServerFn<H>),
    ) -> Result<Self, RegistryErrors> {
        let registry = bind(registry, &state, &*inner, &policy);
        // Only at the build: `replace` would repeat the warning with each registry.
        warn_of_lost_tools(&registry, &*inner);
        let catalog = Catalog::new(registry, &policy)?;
        let served = Arc::new(ServerCore::new(catalog, policy, extras));
        Ok(Self {
            host: hosting(served.clone(), inner.clone()),
            state,
            served,
            inner,
        })
    }

    /// Creates a handler for one connection. The handler is not `Clone`, because it may come to own
    /// a session.
    pub fn handler(&self) -> PdHandler<H> {
        // Not `ours`: an author may hold this handler, and read all of `get_info`.
        PdHandler::new(Arc::new(ServerParts {
            served: self.served.clone(),
            inner: self.inner.clone(),
        }))
    }

    /// Replaces the registry. Requests in flight finish on the old one, and the server notifies
    /// clients that the list changed. Disclosures of tools with an unchanged contract stay valid.
    /// Texts of an [`overlay`](Self::overlay) stay where they fit.
    ///
    /// # Errors
    ///
    /// Returns every problem of the new registry. The old one then stays.
    pub fn replace(&self, registry: Registry<S>) -> Result<(), RegistryErrors> {
        let registry = bind(registry, &self.state, &*self.inner, &self.served.policy);
        self.served
            .replace(Catalog::new(registry, &self.served.policy)?);
        Ok(())
    }

    /// Serves texts from a directory over those that were compiled. Each further call reads the
    /// files again. [`Registry::overlaid`] describes what the files may contain. Returns the number
    /// of tools with changed texts. (Feature `overlay`.) Clients must read the descriptions of
    /// these tools again, and the server notifies them that the list changed. If no text has
    /// changed, nothing happens.
    ///
    /// All files are read as of one moment, and applied all or none: a directory with a mistake in
    /// any file changes nothing. Parts built from unchanged files are reused.
    ///
    /// This call ends a watch of this or another directory (`watch_overlay`), even if it fails.
    ///
    /// This call reads files. Use the blocking pool if calls may be in flight.
    ///
    /// # Errors
    ///
    /// Returns every mistake in every file at once, with its line and column. The served texts then
    /// stay.
    #[cfg(feature = "overlay")]
    pub fn overlay(
        &self,
        directory: impl AsRef<std::path::Path>,
    ) -> Result<usize, crate::overlay::OverlayError> {
        self.served.overlay(directory.as_ref())
    }

    /// Serves texts from a directory as [`overlay`](Self::overlay) does, and reads it again
    /// whenever the directory has changed and was then quiet for 100 ms, for as long as the server
    /// lives. This is for development. Later mistakes are reported to `tracing`, as warnings of the
    /// target `pd_runtime::overlay`, while the last good texts stay. Another call watches the new
    /// directory instead; [`overlay`](Self::overlay) ends the watch. (Feature `watch`.)
    ///
    /// The watch follows another directory that is moved into the same place. It ends if the parent
    /// directory is removed and created again.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`overlay`](Self::overlay), or an error if the system cannot watch the
    /// directory. On error no directory is watched, including one watched before.
    #[cfg(feature = "watch")]
    pub fn watch_overlay(
        &self,
        directory: impl AsRef<std::path::Path>,
    ) -> Result<usize, crate::overlay::OverlayError> {
        self.served.watch_overlay(directory.as_ref())
    }

    /// Returns what a grouped list shows to a caller who sees everything. Returns `None` if it lists
    /// tools, too.
    #[doc(hidden)]
    pub fn listed_groups(&self) -> Option<Vec<GroupLine>> {
        whole_lines(&self.served.catalog())
    }

    /// Notifies all clients that their lists may have changed, although the registry did not. This
    /// is for rights that are stored elsewhere: the server learns a principal's new rights with its
    /// next request, so it cannot know which lists changed. [`replace`](Self::replace) and overlays
    /// notify on their own, and only the clients that see a change.
    pub fn notify_tools_changed(&self) {
        self.served.notify_tools_changed();
    }

    /// Calls a tool from code, for tests, as a client would after it read the tool's description.
    /// The tool exists for the context's caller as it would over HTTP, by its scopes and by
    /// [`Access`](crate::ServerBuilder::access). Rates, timeouts and other
    /// [`Limits`](crate::Limits) do not apply.
    ///
    /// ```
    /// use pd_runtime::{Principal, Tool, prelude::*, tool::RecordingClient};
    /// use serde_json::json;
    ///
    /// /// Restart the machine
    /// #[pd_tool]
    /// fn restart(call: &CallContext) -> String {
    ///     call.principal().map(|who| who.subject().to_owned()).unwrap_or_default()
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let registry: Registry<()> = pd_runtime::registry! { restart };
    /// let server = PdServer::builder(registry, ())
    ///     .access(|who: Option<&Principal>, _: &Tool<()>| {
    ///         who.is_some_and(|who| who.attribute("shift") == Some("night"))
    ///     })
    ///     .build()
    ///     .unwrap();
    /// let alice = Principal::new("alice").with_attribute("shift", "night");
    /// let night = RecordingClient::new().with_principal(alice);
    /// let day = RecordingClient::new().with_principal(Principal::new("bob"));
    /// assert!(server.call("restart", json!({}), &night.context()).await.is_ok());
    /// let refused = server.call("restart", json!({}), &day.context()).await.unwrap_err();
    /// assert_eq!(refused.code, "UNKNOWN_TOOL");
    /// assert!(server.visible_tools(&day.context()).is_empty());
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Registry::call`].
    pub async fn call(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> Result<CallToolResult, ToolError> {
        let entry = self
            .served
            .catalog()
            .find(name, context.authority())
            .cloned();
        let entry = entry.ok_or_else(|| unknown_tool(name))?;
        // The tool was bound to its state when the server was built.
        call_tool(&entry.tool, &(), arguments, context).await
    }

    /// Returns the names of the tools that exist for the context's caller, in order.
    pub fn visible_tools(&self, context: &CallContext) -> Vec<String> {
        self.served
            .catalog()
            .visible(context.authority())
            .map(|entry| entry.name().to_owned())
            .collect()
    }

    /// Waits until no call is running, for at most `grace`. Returns whether all calls have ended.
    pub async fn wait_idle(&self, grace: Duration) -> bool {
        self.served.wait_idle(grace).await
    }

    /// Returns the groups that are currently served.
    pub fn groups(&self) -> Vec<GroupView> {
        self.served.catalog().root.groups.clone()
    }

    /// Stores rows on the data plane, charged to the operator of the server, and returns the URL
    /// that takes them, once. It is for tools that hand rows on in their own way. The URL is a
    /// capability: anyone who has it can take the rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is not served over HTTP, the plane has no room, or the rows
    /// are too many.
    pub async fn store_rows(&self, rows: Table) -> Result<String, ToolError> {
        self.served
            .plane
            .store_rows(rows, QuotaKey::Owner)
            .await
            .map_err(IntoToolError::into_tool_error)
    }

    /// Returns the state that is lent to tools.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    pub(crate) fn host(&self) -> &Arc<dyn ErasedServer> {
        &self.host
    }
}

/// Binds a registry to its state, under the name and version that the server has with this handler.
fn bind<S: Send + Sync + 'static>(
    registry: Registry<S>,
    state: &Arc<S>,
    handler: &impl ServerHandler,
    policy: &Policy,
) -> Registry<()> {
    let mut registry = registry.with_state(state);
    registry.info.yield_to(&handler.get_info().server_info);
    // A server behind this one must not keep it from its start, or from its other tools.
    registry.without_reserved(&policy.reserved_names())
}
