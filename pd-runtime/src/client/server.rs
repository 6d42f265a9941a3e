//! One server of a client: its tool list, which is cached until the server reports a change, and
//! its descriptions.

use super::{
    cache::{Cache, CacheEntry, CacheInstant, CachePartition},
    cache_scope::CacheScope,
    connection::Connection,
    description::FetchedDescription,
    error::ClientError,
    groups,
    listener::ChangeCounter,
    refusal::is_descriptions_uri,
    request::RequestSender,
    route::{DescriptionRoute, RouteOutcome},
    server_capabilities::ServerFeatures,
    subscription::{SubscriptionTask, listen},
    timeouts::RequestTimeouts,
    tool_list::{ToolList, fingerprint},
};
use crate::protocol::extensions;

use parking_lot::RwLock;
use rmcp::{model::Tool, service::ServiceError};
use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// A connected server and its name in this client, if it has one.
#[derive(Debug)]
pub(super) struct ConnectedServer {
    pub(super) name: Option<Box<str>>,
    pub(super) requests: RequestSender,
    pub(super) changes: ChangeCounter,
    partition: CachePartition,
    /// Whether the server knows that the client declared the extension. A server without sessions
    /// forgets declarations.
    knows_extension: AtomicBool,
    tool_list: RwLock<Arc<ToolList>>,
    /// Held while the list is fetched, so that concurrent calls fetch it only once.
    fetching: tokio::sync::Mutex<()>,
    _subscription: Option<SubscriptionTask>,
}

/// The state at the start of a request: the number of changes so far and the moment of the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestStart {
    change_count: u64,
    moment: CacheInstant,
}

impl ConnectedServer {
    /// Connects to a server: lists its tools, and subscribes to changes if the protocol requires a
    /// subscription.
    pub(super) async fn connect(
        name: Option<&str>,
        connection: Connection,
        owner: &CacheScope,
        cache: &Cache,
        timeouts: RequestTimeouts,
    ) -> Result<Self, ClientError> {
        let Connection {
            peer,
            changes,
            declared,
        } = connection;
        let requests = RequestSender::new(peer, declared, timeouts);
        let partition = CachePartition::new(name.unwrap_or_default(), owner);
        // Subscribes before the list is fetched. In the opposite order, a change between the two
        // would go unnoticed.
        let subscription = listen(&requests, &changes).await;
        let server = Self {
            name: name.map(Into::into),
            requests,
            changes,
            partition,
            knows_extension: AtomicBool::new(true),
            tool_list: RwLock::default(),
            fetching: tokio::sync::Mutex::default(),
            _subscription: subscription,
        };
        server.fetch_list(server.changes.count(), cache).await?;
        Ok(server)
    }

    /// Returns the list that was fetched last.
    pub(super) fn tool_list(&self) -> Arc<ToolList> {
        self.tool_list.read().clone()
    }

    /// Returns the current list. Fetches it again if the server has reported a change since.
    pub(super) async fn current_list(&self, cache: &Cache) -> Result<Arc<ToolList>, ClientError> {
        if self.tool_list().change_count() != self.changes.count() {
            let _turn = self.fetching.lock().await;
            let now = self.changes.count();
            // Another call may have fetched the list while this one waited for the lock.
            if self.tool_list().change_count() != now {
                // Cleared even if the list turns out the same: descriptions may change without
                // their list.
                cache.clear(&self.partition);
                self.fetch_list(now, cache).await?;
            }
        }
        Ok(self.tool_list())
    }

    async fn fetch_list(&self, change_count: u64, cache: &Cache) -> Result<(), ClientError> {
        let tools = self.requests.fetch_tools().await?;
        let info = self.requests.peer.peer_info();
        let capabilities = info
            .as_ref()
            .map(|info| info.capabilities.clone())
            .unwrap_or_default();
        let mut features =
            ServerFeatures::from_list(&tools, &capabilities, self.declares_extension());
        if features.should_probe() {
            if capabilities.resources.is_some()
                && let Some(resource) = self
                    .requests
                    .find_resource(|resource| is_descriptions_uri(&resource.uri))
                    .await?
            {
                features.prefer_route(DescriptionRoute::Resource(resource.uri));
            } else if features.routes.is_empty() && features.minimal.len() == tools.len() {
                // Next to tools with schemas, a tool without one simply has no arguments.
                self.probe(&tools, &mut features).await?;
            }
        }
        // Groups are fetched after `finish`, which may reset all features.
        features.finish();
        features.groups =
            groups::fetch_groups(&self.requests, &capabilities, &self.requests.declared).await?;
        // Before the new list can be read, so that no call finds a description of the old one with
        // it.
        cache.set_list(&self.partition, fingerprint(&tools));
        let tool_list = ToolList::new(change_count, tools, features);
        *self.tool_list.write() = Arc::new(tool_list);
        Ok(())
    }

    /// Finds the method that describes tools by describing one. A list without schemas does not
    /// reveal the method.
    async fn probe(
        &self,
        tools: &[Tool],
        features: &mut ServerFeatures,
    ) -> Result<(), ClientError> {
        let Some(first) = tools.first().map(|tool| [tool.name.to_string()]) else {
            return Ok(());
        };
        for route in [DescriptionRoute::Manifest, DescriptionRoute::Delta] {
            match route.fetch(&first, &self.requests).await {
                Ok(RouteOutcome::Descriptions(fetched)) if !fetched.is_empty() => {
                    features.prefer_route(route);
                    return Ok(());
                }
                // Both routes have the same method name, so a server that does not know the first
                // does not know the second.
                Ok(RouteOutcome::NoRoute)
                | Err(ClientError::Service(ServiceError::McpError(_))) => return Ok(()),
                // Some servers do not answer unknown methods.
                Err(ClientError::Timeout { .. }) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the entry of a tool that is known without a request: from the list if it is listed
    /// in full, otherwise from the cache.
    pub(super) fn known_entry(
        &self,
        name: &str,
        tool_list: &ToolList,
        cache: &Cache,
    ) -> Option<CacheEntry> {
        let in_full = tool_list
            .in_full
            .iter()
            .find(|tool| tool.description.name() == name);
        let entry = in_full.map(|tool| CacheEntry {
            description: tool.description.clone(),
            ticket: None,
        });
        entry.or_else(|| cache.get(&self.partition, name))
    }

    /// Fetches descriptions of these tools. Unknown tools are left out. `hinted_route` is the route
    /// that a refusal names; it is tried last, for servers without a known route.
    pub(super) async fn describe(
        &self,
        names: Vec<String>,
        hinted_route: Option<&DescriptionRoute>,
        cache: &Cache,
    ) -> Result<Vec<CacheEntry>, ClientError> {
        let start = self.start_request(cache);
        let mut tool_list = self.tool_list();
        if tool_list.features.routes.first() == Some(&DescriptionRoute::Extension) {
            match self
                .fetch_by_route(&DescriptionRoute::Extension, &names)
                .await?
            {
                Some(fetched) => return Ok(self.store_all(fetched, start, cache)),
                None => tool_list = self.without_extension(cache).await?,
            }
        }
        for route in tool_list.features.routes.iter().chain(hinted_route) {
            if let Some(fetched) = self.fetch_by_route(route, &names).await? {
                return Ok(self.store_all(fetched, start, cache));
            }
        }
        Ok(Vec::new())
    }

    /// Returns the tools of a group, or nothing if the server has no group of this name.
    pub(super) async fn open_group(
        &self,
        group: &str,
        cache: &Cache,
    ) -> Result<Vec<CacheEntry>, ClientError> {
        let start = self.start_request(cache);
        let tool_list = self.tool_list();
        if tool_list.features.groups.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.cached_group(group, &tool_list, cache) {
            return Ok(known);
        }
        let fetched = groups::fetch_tools(group, &self.requests).await?;
        tool_list.opened.insert(
            group,
            fetched
                .iter()
                .map(|fetched| fetched.description.name().to_owned())
                .collect(),
        );
        Ok(self.store_all(fetched, start, cache))
    }

    /// Returns the tools of a group that was opened since the list was fetched, if all of them are
    /// still cached.
    pub(super) fn cached_group(
        &self,
        group: &str,
        tool_list: &ToolList,
        cache: &Cache,
    ) -> Option<Vec<CacheEntry>> {
        tool_list
            .opened
            .tools(group)?
            .iter()
            .map(|tool| self.known_entry(tool, tool_list, cache))
            .collect()
    }

    /// Fetches the list again to find other routes, because the server does not know that the
    /// client declared the extension.
    async fn without_extension(&self, cache: &Cache) -> Result<Arc<ToolList>, ClientError> {
        let _turn = self.fetching.lock().await;
        if self.tool_list().features.routes.first() == Some(&DescriptionRoute::Extension) {
            self.knows_extension.store(false, Ordering::Release);
            self.fetch_list(self.tool_list().change_count(), cache)
                .await?;
        }
        Ok(self.tool_list())
    }

    fn declares_extension(&self) -> bool {
        let declared = self
            .requests
            .declared
            .extensions
            .as_ref()
            .is_some_and(|known| known.contains_key(extensions::DISCLOSURE));
        (self.requests.inline || declared) && self.knows_extension.load(Ordering::Acquire)
    }

    /// Records the state before a request, to judge later whether its result is still current.
    pub(super) fn start_request(&self, cache: &Cache) -> RequestStart {
        RequestStart {
            change_count: self.changes.count(),
            moment: cache.now(),
        }
    }

    fn store_all(
        &self,
        fetched: Vec<FetchedDescription>,
        start: RequestStart,
        cache: &Cache,
    ) -> Vec<CacheEntry> {
        fetched
            .into_iter()
            .map(|fetched| self.store(fetched, start, cache))
            .collect()
    }

    /// Requests descriptions by one route, in batches that the route accepts. Returns `None` if the
    /// server does not support the route.
    async fn fetch_by_route(
        &self,
        route: &DescriptionRoute,
        names: &[String],
    ) -> Result<Option<Vec<FetchedDescription>>, ClientError> {
        let mut parts: VecDeque<&[String]> = names.chunks(route.batch_max()).collect();
        let mut fetched = Vec::new();
        while let Some(part) = parts.pop_front() {
            match route.fetch(part, &self.requests).await? {
                RouteOutcome::Descriptions(more) => fetched.extend(more),
                RouteOutcome::NoRoute => return Ok(None),
                RouteOutcome::TooMany => {
                    // Halving isolates the name that the server rejects in a number of requests
                    // that is logarithmic in the batch. A single name never returns `TooMany`.
                    let (one, other) = part.split_at(part.len() / 2);
                    [other, one]
                        .into_iter()
                        .filter(|half| !half.is_empty())
                        .for_each(|half| parts.push_front(half));
                }
            }
        }
        Ok(Some(fetched))
    }

    /// Replaces a ticket that the server no longer accepts. The cached description stays as it was
    /// fetched.
    pub(super) fn renew_ticket(&self, name: &str, ticket: Option<&String>, cache: &Cache) {
        if let Some(ticket) = ticket {
            cache.renew(&self.partition, name, ticket);
        }
    }

    /// Caches a fetched description. If the tools changed during the request, the description may
    /// be of either state, and is not cached.
    pub(super) fn store(
        &self,
        fetched: FetchedDescription,
        start: RequestStart,
        cache: &Cache,
    ) -> CacheEntry {
        let entry = fetched.into();
        if self.changes.count() == start.change_count {
            cache.put(&self.partition, &entry, start.moment);
        }
        entry
    }
}
