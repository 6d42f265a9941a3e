//! The builder of a client: its servers, principal, shared stores and time limits.

use super::{
    Client,
    cache::Cache,
    cache_scope::CacheScope,
    connection::Connection,
    error::ClientError,
    handles::RowHandles,
    names,
    server::ConnectedServer,
    timeouts::{RequestTimeouts, TimeLimit},
};
use std::{collections::HashSet, sync::Arc, time::Duration};

/// Builder for a [`Client`]: servers, a principal, a cache and time limits.
///
/// ```no_run
/// use pd_runtime::{
///     client::{Cache, Client, ClientError},
///     rmcp::{RoleClient, service::Peer},
/// };
///
/// # async fn agent(git: Peer<RoleClient>, github: Peer<RoleClient>) -> Result<(), ClientError> {
/// let tools = Client::builder()
///     .server("git", &git)
///     .server("github", &github)
///     .principal("alice")
///     .cache(&Cache::bounded(200, 1 << 20))
///     .build()
///     .await?;
/// tools.describe(["github__create_issue"]).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct ClientBuilder {
    servers: Vec<(Option<String>, Connection)>,
    principal: Option<Arc<str>>,
    cache: Cache,
    handles: RowHandles,
    keeps_all: bool,
    inlines: bool,
    timeouts: RequestTimeouts,
}

impl ClientBuilder {
    /// Adds a server. Its tools are named `{name}__{tool}`. The name has up to 32 ASCII letters,
    /// digits, `-` and single `_`.
    pub fn server(mut self, name: impl Into<String>, server: impl Into<Connection>) -> Self {
        self.servers.push((Some(name.into()), server.into()));
        self
    }

    pub(super) fn unnamed_server(mut self, server: impl Into<Connection>) -> Self {
        self.servers.push((None, server.into()));
        self
    }

    /// Sets the principal for which the connections were opened. Clients that share a [`Cache`] or
    /// [`RowHandles`] share its entries only if they have the same principal. A client without a
    /// principal shares its entries with no other client.
    pub fn principal(mut self, principal: impl Into<Arc<str>>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// Sets a cache that is shared with other clients. By default each client has its own.
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = cache.clone();
        self
    }

    /// Sets the store of withheld rows that is shared with other clients. One principal uses at
    /// most half of its capacity. By default each client has its own.
    pub fn handles(mut self, handles: &RowHandles) -> Self {
        self.handles = handles.share();
        self
    }

    /// Sets whether tools are deferred in requests to providers; true by default. Models without
    /// tool search need false.
    pub fn defer(mut self, defer: bool) -> Self {
        self.keeps_all = !defer;
        self
    }

    /// Sets whether tools that a conversation gains are inserted into its messages, where
    /// [`Client::anthropic_changes`] and [`Client::openai_changes`] return them; false by default.
    /// The model then calls a tool that it described or found by its own name and schema, and the
    /// `tools` of the request stay the same.
    ///
    /// Anthropic's API needs the beta [`INLINE_TOOLS`](crate::provider::anthropic::INLINE_TOOLS).
    /// [`defer`](Self::defer) then concerns tools that are listed in full from the start alone.
    pub fn inline_tools(mut self, inline: bool) -> Self {
        self.inlines = inline;
        self
    }

    /// Sets the time limit of lists, descriptions and all other requests that are not the model's
    /// calls: 60 seconds by default. A description that a meta-tool returns is such a request, too.
    ///
    /// A request over its limit returns [`ClientError::Timeout`], and the client cancels it. The
    /// limit applies to one request; [`Client::describe`] may send several. [`Duration::MAX`] sets
    /// no limit, here and below.
    pub fn request_timeout(mut self, longest: Duration) -> Self {
        self.timeouts.request = TimeLimit::from_total(longest);
        self
    }

    /// Sets how long a tool may run without a progress notification: 5 minutes by default. Each
    /// progress notification starts the time again.
    ///
    /// [`Client::call_within`] sets another limit for one call.
    pub fn call_timeout(mut self, longest: Duration) -> Self {
        self.timeouts.call = self.timeouts.call.with_silence(longest);
        self
    }

    /// Sets how long a tool may run in total, including time with progress: one hour by default.
    pub fn max_call_time(mut self, longest: Duration) -> Self {
        self.timeouts.call = self.timeouts.call.with_total(longest);
        self
    }

    /// Connects to the servers and lists their tools.
    ///
    /// # Errors
    ///
    /// Returns an error if a server does not list its tools in time, or if two servers have the
    /// same name.
    pub async fn build(self) -> Result<Client, ClientError> {
        let owner = CacheScope::new(self.principal);
        let mut seen_names = HashSet::new();
        let mut servers = Vec::with_capacity(self.servers.len());
        for (name, connection) in self.servers {
            let name = name.as_deref().map(names::check_server_name).transpose()?;
            // `None` is a name here, too: a client has at most one server without a name.
            if !seen_names.insert(name.map(str::to_owned)) {
                return Err(ClientError::ServerName(name.unwrap_or_default().to_owned()));
            }
            servers.push(
                ConnectedServer::connect(name, connection, &owner, &self.cache, self.timeouts)
                    .await?,
            );
        }
        let servers = servers.into();
        let defers = !self.keeps_all;
        let cache = self.cache;
        let handles = self.handles;
        let conversation = Default::default();
        Ok(Client {
            servers,
            cache,
            handles,
            owner,
            defers,
            inlines: self.inlines,
            conversation,
        })
    }
}
