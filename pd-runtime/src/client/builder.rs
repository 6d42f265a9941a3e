//! Putting a client together: which servers, for whom.

use super::{
    Client,
    cache::Cache,
    cache_scope::Owner,
    connection::Connection,
    error::ClientError,
    handles::Handles,
    names,
    server::Server,
    timeouts::{RequestTimeouts, TimeLimit},
};
use std::{collections::HashSet, sync::Arc, time::Duration};

/// Servers, a principal and a cache, for a [`Client`].
///
/// ```no_run
/// use pd_runtime::{client::{Cache, Client}, rmcp::{RoleClient, service::Peer}};
///
/// # async fn agent(git: Peer<RoleClient>, github: Peer<RoleClient>) -> Result<(), pd_runtime::client::ClientError> {
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
    handles: Handles,
    keeps_all: bool,
    timeouts: RequestTimeouts,
}

impl ClientBuilder {
    /// A server whose tools are called `{name}__{tool}`: up to 32 ASCII letters, digits, `-` and single `_`.
    pub fn server(mut self, name: impl Into<String>, server: impl Into<Connection>) -> Self {
        self.servers.push((Some(name.into()), server.into()));
        self
    }

    pub(super) fn only(mut self, server: impl Into<Connection>) -> Self {
        self.servers.push((None, server.into()));
        self
    }

    /// Whom the connections speak for. Clients that share a [`Cache`] or [`Handles`] share what is in them where they name the
    /// same principal; without one, with nobody.
    pub fn principal(mut self, principal: impl Into<Arc<str>>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// A cache to share with other clients. By default each has its own.
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = cache.clone();
        self
    }

    /// Where rows are kept that no model sees, to share with other clients: half of the room is the most that one principal has.
    /// By default each has its own.
    pub fn handles(mut self, handles: &Handles) -> Self {
        self.handles = handles.shared();
        self
    }

    /// Whether tools are deferred in requests to providers; true by default. Models without tool search need false.
    pub fn defer(mut self, defer: bool) -> Self {
        self.keeps_all = !defer;
        self
    }

    /// Sets how long a server may take to answer a list, a description or another request that is not the model's call:
    /// 60 seconds by default. A description that comes by a tool about tools is such a request.
    ///
    /// A request whose time is over ends in [`ClientError::Timeout`], and the client cancels it. The limit is one request's:
    /// [`Client::describe`] may send several. [`Duration::MAX`] sets no limit, here and below.
    pub fn request_timeout(mut self, longest: Duration) -> Self {
        self.timeouts.request = TimeLimit::from_total(longest);
        self
    }

    /// Sets how long a tool may run without a sign of life: 5 minutes by default. Each progress notification starts the time
    /// again.
    ///
    /// [`Client::call_within`] sets another limit for one call.
    pub fn call_timeout(mut self, longest: Duration) -> Self {
        self.timeouts.call = self.timeouts.call.with_silence(longest);
        self
    }

    /// Sets how long a tool may run, whatever progress it reports: one hour by default.
    pub fn max_call_time(mut self, longest: Duration) -> Self {
        self.timeouts.call = self.timeouts.call.with_total(longest);
        self
    }

    /// Lists the servers' tools.
    ///
    /// # Errors
    ///
    /// A server does not list its tools in time, or two have one name.
    pub async fn build(self) -> Result<Client, ClientError> {
        let (owner, mut taken) = (Owner::new(self.principal), HashSet::new());
        let mut servers = Vec::with_capacity(self.servers.len());
        for (name, connection) in self.servers {
            let name = name.as_deref().map(names::checked).transpose()?;
            if !taken.insert(name.map(str::to_owned)) {
                return Err(ClientError::ServerName(name.unwrap_or_default().to_owned()));
            }
            servers.push(Server::connect(name, connection, &owner, &self.cache, self.timeouts).await?);
        }
        let (servers, defers) = (servers.into(), !self.keeps_all);
        let (cache, handles, conversation) = (self.cache, self.handles, Default::default());
        Ok(Client { servers, cache, handles, owner, defers, conversation })
    }
}
