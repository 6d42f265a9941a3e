//! One server of a client: its list, kept until it says that it changed, and the way to its descriptions.

use super::{
    cache::{Cache, Entry, Moment, Shelf},
    cache_scope::Owner,
    connection::Connection,
    description::Given,
    error::ClientError,
    groups,
    listener::Changes,
    refusal::is_descriptions,
    request::Wire,
    route::{Answer, Route},
    server_capabilities::Offer,
    subscription::{Listening, listen},
    timeouts::RequestTimeouts,
    tool_list::{Listed, fingerprint},
};
use crate::protocol::extensions;

use rmcp::{model::Tool, service::ServiceError};
use std::{
    collections::VecDeque,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// A server under its name, if it has one.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: Option<Box<str>>,
    pub(super) requests: Wire,
    pub(super) changes: Changes,
    shelf: Shelf,
    /// Whether the server knows that our extension was declared; one without sessions does not.
    knows_extension: AtomicBool,
    tool_list: RwLock<Arc<Listed>>,
    /// Held while the list is fetched, so that it is fetched once.
    fetching: tokio::sync::Mutex<()>,
    _subscription: Option<Listening>,
}

/// When something was asked for: after how many changes, and at which moment of the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    change_count: u64,
    moment: Moment,
}

impl Server {
    /// Lists the server's tools, and listens for changes where that takes a subscription.
    pub(super) async fn connect(
        name: Option<&str>,
        connection: Connection,
        owner: &Owner,
        cache: &Cache,
        timeouts: RequestTimeouts,
    ) -> Result<Self, ClientError> {
        let Connection { peer, changes, declared } = connection;
        let requests = Wire::new(peer, declared, timeouts);
        let shelf = Shelf::new(name.unwrap_or_default(), owner);
        let subscription = listen(&requests, &changes).await;
        let server = Self {
            name: name.map(Into::into),
            requests,
            changes,
            shelf,
            knows_extension: AtomicBool::new(true),
            tool_list: RwLock::default(),
            fetching: tokio::sync::Mutex::default(),
            _subscription: subscription,
        };
        server.fetch(server.changes.count(), cache).await?;
        Ok(server)
    }

    /// The list as it was fetched last.
    pub(super) fn tool_list(&self) -> Arc<Listed> {
        self.tool_list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list as it is, as far as the server has told.
    pub(super) async fn current_list(&self, cache: &Cache) -> Result<Arc<Listed>, ClientError> {
        if self.tool_list().change_count() != self.changes.count() {
            let _turn = self.fetching.lock().await;
            let now = self.changes.count();
            if self.tool_list().change_count() != now {
                cache.clear(&self.shelf);
                self.fetch(now, cache).await?;
            }
        }
        Ok(self.tool_list())
    }

    async fn fetch(&self, change_count: u64, cache: &Cache) -> Result<(), ClientError> {
        let tools = self.requests.tools().await?;
        let info = self.requests.peer.peer_info();
        let capabilities = info.as_ref().map(|info| info.capabilities.clone()).unwrap_or_default();
        let mut features = Offer::from_list(&tools, &capabilities, self.declares_extension());
        if features.should_probe() {
            if capabilities.resources.is_some()
                && let Some(resource) = self.requests.resource(|resource| is_descriptions(&resource.uri)).await?
            {
                features.prefer_route(Route::Resource(resource.uri));
            } else if features.routes.is_empty() && features.minimal.len() == tools.len() {
                self.probe(&tools, &mut features).await?;
            }
        }
        features.finish();
        features.groups = groups::fetch_groups(&self.requests, &capabilities, &self.requests.declared).await?;
        cache.set_list(&self.shelf, fingerprint(&tools));
        let tool_list = Listed::new(change_count, tools, features);
        *self.tool_list.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tool_list);
        Ok(())
    }

    /// Nothing says how a list without schemas is described: whether by a method is found by asking for one tool.
    async fn probe(&self, tools: &[Tool], features: &mut Offer) -> Result<(), ClientError> {
        let Some(first) = tools.first().map(|tool| [tool.name.to_string()]) else { return Ok(()) };
        for route in [Route::Manifest, Route::Delta] {
            match route.fetch(&first, &self.requests).await {
                Ok(Answer::Descriptions(fetched)) if !fetched.is_empty() => {
                    features.prefer_route(route);
                    return Ok(());
                }
                Ok(Answer::NoRoute) | Err(ClientError::Service(ServiceError::McpError(_))) => return Ok(()),
                // Some servers do not answer methods that they do not know.
                Err(ClientError::Timeout { .. }) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What is known of a tool without asking: what the list tells in full, or what was fetched.
    pub(super) fn known_entry(&self, name: &str, tool_list: &Listed, cache: &Cache) -> Option<Entry> {
        let in_full = tool_list.in_full.iter().find(|tool| tool.description.name() == name);
        let entry = in_full.map(|tool| Entry { description: tool.description.clone(), ticket: None });
        entry.or_else(|| cache.get(&self.shelf, name))
    }

    /// Fetches descriptions of these tools; unknown ones are left out. `told` is the way that a refusal tells, for servers of
    /// which none was known.
    pub(super) async fn describe(
        &self,
        names: Vec<String>,
        hinted_route: Option<&Route>,
        cache: &Cache,
    ) -> Result<Vec<Entry>, ClientError> {
        let start = self.start_request(cache);
        let mut tool_list = self.tool_list();
        if tool_list.features.routes.first() == Some(&Route::Extension) {
            match self.fetch_by_route(&Route::Extension, &names).await? {
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

    /// The tools of a group, where the server has groups and one of this name.
    pub(super) async fn open_group(&self, group: &str, cache: &Cache) -> Result<Vec<Entry>, ClientError> {
        let (start, tool_list) = (self.start_request(cache), self.tool_list());
        if tool_list.features.groups.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.cached_group(group, &tool_list, cache) {
            return Ok(known);
        }
        let fetched = groups::fetch_tools(group, &self.requests).await?;
        tool_list.opened.insert(group, fetched.iter().map(|fetched| fetched.description.name().to_owned()).collect());
        Ok(self.store_all(fetched, start, cache))
    }

    /// The tools of a group that was opened since the list was fetched, as far as all of them are still cached.
    pub(super) fn cached_group(&self, group: &str, tool_list: &Listed, cache: &Cache) -> Option<Vec<Entry>> {
        tool_list.opened.tools(group)?.iter().map(|tool| self.known_entry(tool, tool_list, cache)).collect()
    }

    /// Looks at the list again, for the other routes: the server does not know that the extension was declared.
    async fn without_extension(&self, cache: &Cache) -> Result<Arc<Listed>, ClientError> {
        let _turn = self.fetching.lock().await;
        if self.tool_list().features.routes.first() == Some(&Route::Extension) {
            self.knows_extension.store(false, Ordering::Release);
            self.fetch(self.tool_list().change_count(), cache).await?;
        }
        Ok(self.tool_list())
    }

    fn declares_extension(&self) -> bool {
        let declared =
            self.requests.declared.extensions.as_ref().is_some_and(|known| known.contains_key(extensions::DISCLOSURE));
        (self.requests.inline || declared) && self.knows_extension.load(Ordering::Acquire)
    }

    /// The moment before a request, so that what it gives is known to be new.
    pub(super) fn start_request(&self, cache: &Cache) -> Asked {
        Asked { change_count: self.changes.count(), moment: cache.now() }
    }

    fn store_all(&self, fetched: Vec<Given>, start: Asked, cache: &Cache) -> Vec<Entry> {
        fetched.into_iter().map(|fetched| self.store(fetched, start, cache)).collect()
    }

    /// Asks by one route, in parts that it takes; `None` where the server does not know it.
    async fn fetch_by_route(&self, route: &Route, names: &[String]) -> Result<Option<Vec<Given>>, ClientError> {
        let mut parts: VecDeque<&[String]> = names.chunks(route.batch_max()).collect();
        let mut fetched = Vec::new();
        while let Some(part) = parts.pop_front() {
            match route.fetch(part, &self.requests).await? {
                Answer::Descriptions(more) => fetched.extend(more),
                Answer::NoRoute => return Ok(None),
                Answer::TooMany => {
                    let (one, other) = part.split_at(part.len() / 2);
                    [other, one].into_iter().filter(|half| !half.is_empty()).for_each(|half| parts.push_front(half));
                }
            }
        }
        Ok(Some(fetched))
    }

    /// A ticket in place of one that the server takes no more. What is cached of the tool stays as it was fetched.
    pub(super) fn renew_ticket(&self, name: &str, ticket: Option<&String>, cache: &Cache) {
        if let Some(ticket) = ticket {
            cache.renew(&self.shelf, name, ticket);
        }
    }

    /// What was fetched while the tools changed may be of either state, and is not kept.
    pub(super) fn store(&self, fetched: Given, start: Asked, cache: &Cache) -> Entry {
        let entry = fetched.into();
        if self.changes.count() == start.change_count {
            cache.put(&self.shelf, &entry, start.moment);
        }
        entry
    }
}
