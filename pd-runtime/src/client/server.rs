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
    pub(super) wire: Wire,
    pub(super) changes: Changes,
    shelf: Shelf,
    /// Whether the server knows that our extension was declared; one without sessions does not.
    hears_extension: AtomicBool,
    listed: RwLock<Arc<Listed>>,
    /// Held while the list is fetched, so that it is fetched once.
    fetching: tokio::sync::Mutex<()>,
    _listening: Option<Listening>,
}

/// When something was asked for: after how many changes, and at which moment of the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    heard: u64,
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
        let wire = Wire::new(peer, declared, timeouts);
        let shelf = Shelf::new(name.unwrap_or_default(), owner);
        let listening = listen(&wire, &changes).await;
        let server = Self {
            name: name.map(Into::into),
            wire,
            changes,
            shelf,
            hears_extension: AtomicBool::new(true),
            listed: RwLock::default(),
            fetching: tokio::sync::Mutex::default(),
            _listening: listening,
        };
        server.fetch(server.changes.count(), cache).await?;
        Ok(server)
    }

    /// The list as it was fetched last.
    pub(super) fn listed(&self) -> Arc<Listed> {
        self.listed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list as it is, as far as the server has told.
    pub(super) async fn refreshed(&self, cache: &Cache) -> Result<Arc<Listed>, ClientError> {
        if self.listed().at() != self.changes.count() {
            let _turn = self.fetching.lock().await;
            let now = self.changes.count();
            if self.listed().at() != now {
                cache.clear(&self.shelf);
                self.fetch(now, cache).await?;
            }
        }
        Ok(self.listed())
    }

    async fn fetch(&self, at: u64, cache: &Cache) -> Result<(), ClientError> {
        let tools = self.wire.tools().await?;
        let info = self.wire.peer.peer_info();
        let capabilities = info.as_ref().map(|info| info.capabilities.clone()).unwrap_or_default();
        let mut offer = Offer::read(&tools, &capabilities, self.declares_extension());
        if offer.asks() {
            if capabilities.resources.is_some()
                && let Some(resource) = self.wire.resource(|resource| is_descriptions(&resource.uri)).await?
            {
                offer.add(Route::Resource(resource.uri));
            } else if offer.routes.is_empty() && offer.minimal.len() == tools.len() {
                self.probe(&tools, &mut offer).await?;
            }
        }
        offer.close();
        offer.groups = groups::listed(&self.wire, &capabilities, &self.wire.declared).await?;
        cache.listed(&self.shelf, fingerprint(&tools));
        let listed = Listed::new(at, tools, offer);
        *self.listed.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listed);
        Ok(())
    }

    /// Nothing says how a list without schemas is described: whether by a method is found by asking for one tool.
    async fn probe(&self, tools: &[Tool], offer: &mut Offer) -> Result<(), ClientError> {
        let Some(first) = tools.first().map(|tool| [tool.name.to_string()]) else { return Ok(()) };
        for route in [Route::Manifest, Route::Delta] {
            match route.ask(&first, &self.wire).await {
                Ok(Answer::Given(given)) if !given.is_empty() => {
                    offer.add(route);
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
    pub(super) fn known(&self, name: &str, listed: &Listed, cache: &Cache) -> Option<Entry> {
        let in_full = listed.in_full.iter().find(|tool| tool.description.name() == name);
        let listed = in_full.map(|tool| Entry { description: tool.description.clone(), ticket: None });
        listed.or_else(|| cache.get(&self.shelf, name))
    }

    /// Fetches descriptions of these tools; unknown ones are left out. `told` is the way that a refusal tells, for servers of
    /// which none was known.
    pub(super) async fn describe(
        &self,
        names: Vec<String>,
        told: Option<&Route>,
        cache: &Cache,
    ) -> Result<Vec<Entry>, ClientError> {
        let asked = self.asks(cache);
        let mut listed = self.listed();
        if listed.offer.routes.first() == Some(&Route::Extension) {
            match self.ask(&Route::Extension, &names).await? {
                Some(given) => return Ok(self.keep_all(given, asked, cache)),
                None => listed = self.without_extension(cache).await?,
            }
        }
        for route in listed.offer.routes.iter().chain(told) {
            if let Some(given) = self.ask(route, &names).await? {
                return Ok(self.keep_all(given, asked, cache));
            }
        }
        Ok(Vec::new())
    }

    /// The tools of a group, where the server has groups and one of this name.
    pub(super) async fn open(&self, group: &str, cache: &Cache) -> Result<Vec<Entry>, ClientError> {
        let (asked, listed) = (self.asks(cache), self.listed());
        if listed.offer.groups.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.opened(group, &listed, cache) {
            return Ok(known);
        }
        let given = groups::opened(group, &self.wire).await?;
        listed.opened.keep(group, given.iter().map(|given| given.description.name().to_owned()).collect());
        Ok(self.keep_all(given, asked, cache))
    }

    /// The tools of a group that was opened since the list was fetched, as far as all of them are still cached.
    pub(super) fn opened(&self, group: &str, listed: &Listed, cache: &Cache) -> Option<Vec<Entry>> {
        listed.opened.tools(group)?.iter().map(|tool| self.known(tool, listed, cache)).collect()
    }

    /// Looks at the list again, for the other routes: the server does not know that the extension was declared.
    async fn without_extension(&self, cache: &Cache) -> Result<Arc<Listed>, ClientError> {
        let _turn = self.fetching.lock().await;
        if self.listed().offer.routes.first() == Some(&Route::Extension) {
            self.hears_extension.store(false, Ordering::Release);
            self.fetch(self.listed().at(), cache).await?;
        }
        Ok(self.listed())
    }

    fn declares_extension(&self) -> bool {
        let declared =
            self.wire.declared.extensions.as_ref().is_some_and(|known| known.contains_key(extensions::DISCLOSURE));
        (self.wire.inline || declared) && self.hears_extension.load(Ordering::Acquire)
    }

    /// The moment before a request, so that what it gives is known to be new.
    pub(super) fn asks(&self, cache: &Cache) -> Asked {
        Asked { heard: self.changes.count(), moment: cache.now() }
    }

    fn keep_all(&self, given: Vec<Given>, asked: Asked, cache: &Cache) -> Vec<Entry> {
        given.into_iter().map(|given| self.keep(given, asked, cache)).collect()
    }

    /// Asks by one route, in parts that it takes; `None` where the server does not know it.
    async fn ask(&self, route: &Route, names: &[String]) -> Result<Option<Vec<Given>>, ClientError> {
        let mut parts: VecDeque<&[String]> = names.chunks(route.at_once()).collect();
        let mut given = Vec::new();
        while let Some(part) = parts.pop_front() {
            match route.ask(part, &self.wire).await? {
                Answer::Given(more) => given.extend(more),
                Answer::NoRoute => return Ok(None),
                Answer::TooMany => {
                    let (one, other) = part.split_at(part.len() / 2);
                    [other, one].into_iter().filter(|half| !half.is_empty()).for_each(|half| parts.push_front(half));
                }
            }
        }
        Ok(Some(given))
    }

    /// A ticket in place of one that the server takes no more. What is cached of the tool stays as it was fetched.
    pub(super) fn renew(&self, name: &str, ticket: Option<&String>, cache: &Cache) {
        if let Some(ticket) = ticket {
            cache.renew(&self.shelf, name, ticket);
        }
    }

    /// What was fetched while the tools changed may be of either state, and is not kept.
    pub(super) fn keep(&self, given: Given, asked: Asked, cache: &Cache) -> Entry {
        let entry = given.into();
        if self.changes.count() == asked.heard {
            cache.put(&self.shelf, &entry, asked.moment);
        }
        entry
    }
}
