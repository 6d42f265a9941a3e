//! Subscriptions of clients to resources of upstreams.
//!
//! An upstream before 2026-07-28 is asked with `resources/subscribe`, once for all clients of a
//! connection. A later one gets a `subscriptions/listen` for each subscription. A subscription
//! outlives the connection: when an upstream has ended, it is started again.

use crate::{
    connection::{Answer, Connection, RequestError, SentRequest, pool::ConnectionClient},
    failure::retry_pause::RetryPause,
    upstream::{Upstream, upstream_error::UpstreamError},
};
use parking_lot::Mutex;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};
use tokio_util::task::AbortOnDropHandle;

/// The resources that one client may be subscribed to.
pub(crate) const SUBSCRIPTIONS_MAX: usize = 200;

/// A client's subscription to resources of one upstream. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct ResourceSubscription {
    /// The server and the resources. Only this server's notifications concern them.
    server: Arc<str>,
    uris: Vec<Arc<str>>,
    _task: AbortOnDropHandle<()>,
}

impl Upstream {
    /// Subscribes a client to resources.
    pub(crate) async fn subscribe(
        self: &Arc<Self>,
        client: ConnectionClient,
        uris: Vec<Arc<str>>,
    ) -> Result<ResourceSubscription, UpstreamError> {
        let connection = self.connection(&client).await?;
        let first = SubscribedResources::new(connection, &uris).await;
        let first = first.map_err(|error| self.request_error(error))?;
        let task = tokio::spawn(keep_subscribed(
            Arc::downgrade(self),
            client,
            uris.clone(),
            first,
        ));
        Ok(ResourceSubscription {
            server: self.name().into(),
            uris,
            _task: AbortOnDropHandle::new(task),
        })
    }
}

impl ResourceSubscription {
    /// Returns whether a notification of a server about this URI belongs to the subscription.
    pub(crate) fn concerns(&self, server: &str, uri: &str) -> bool {
        *self.server == *server && self.uris.iter().any(|known| contains(known, uri))
    }
}

/// Renews a subscription for as long as the upstream is part of the configuration.
async fn keep_subscribed(
    upstream: Weak<Upstream>,
    client: ConnectionClient,
    uris: Vec<Arc<str>>,
    first: SubscribedResources,
) {
    let mut current = Some(first);
    let mut pause = RetryPause::default();
    loop {
        let began = Instant::now();
        if let Some(subscribed) = current.take() {
            subscribed.until_ended().await;
        }
        sleep(pause.next(began.elapsed())).await;
        let Some(upstream) = upstream.upgrade() else {
            return;
        };
        let Ok(connection) = upstream.connection(&client).await else {
            continue;
        };
        // Not held while the subscription lasts, so that a removed upstream can end.
        drop(upstream);
        current = SubscribedResources::new(connection, &uris).await.ok();
    }
}

/// Resources that one connection is subscribed to for one client.
struct SubscribedResources {
    connection: Arc<Connection>,
    uris: Vec<Arc<str>>,
}

impl SubscribedResources {
    async fn new(connection: Arc<Connection>, uris: &[Arc<str>]) -> Result<Self, RequestError> {
        let mut subscribed = Self {
            connection,
            uris: Vec::new(),
        };
        for uri in uris {
            // Counted before the request. If it fails, the drop of `subscribed` undoes the count.
            let is_first = subscribed.count(uri);
            // Further clients of the connection share the first subscription.
            if is_first && !subscribed.connection.era().is_modern() {
                subscribed
                    .connection
                    .request("resources/subscribe", params(uri))
                    .await?;
            }
        }
        Ok(subscribed)
    }

    /// Counts a subscription, and returns whether it is the first of the connection to this
    /// resource.
    fn count(&mut self, uri: &Arc<str>) -> bool {
        self.uris.push(uri.clone());
        let mut subscribed = self.connection.subscribed();
        let count = subscribed.entry(uri.clone()).or_default();
        *count += 1;
        *count == 1
    }

    /// Waits until the upstream has ended the subscription.
    async fn until_ended(&self) {
        if !self.connection.era().is_modern() {
            self.connection.until_closed().await;
            return;
        }
        let uris: Vec<&str> = self.uris.iter().map(|uri| &**uri).collect();
        let filter = JsonObject::from_iter([("resourceSubscriptions".to_owned(), uris.into())]);
        // The request ends with this future: closing its stream, or a notification, cancels it.
        if let Ok(mut listening) = listen(&self.connection, filter) {
            let _ = listening.response().await;
        }
    }
}

impl Drop for SubscribedResources {
    fn drop(&mut self) {
        let mut subscribed = self.connection.subscribed();
        let mut unused = Vec::new();
        for uri in &self.uris {
            let Some(count) = subscribed.get_mut(uri) else {
                continue;
            };
            *count -= 1;
            if *count == 0 {
                subscribed.remove(uri);
                unused.push(uri);
            }
        }
        drop(subscribed);
        if self.connection.era().is_modern() {
            // The subscription was one request, which has ended with `until_ended`.
            return;
        }
        for uri in unused {
            if let Ok(sent) = self
                .connection
                .send_in_background("resources/unsubscribe", params(uri))
            {
                sent.forget();
            }
        }
    }
}

fn params(uri: &str) -> JsonObject {
    JsonObject::from_iter([("uri".to_owned(), uri.into())])
}

/// Asks an upstream of 2026-07-28 for notifications.
fn listen(connection: &Connection, filter: JsonObject) -> Result<SentRequest<'_>, RequestError> {
    let params = JsonObject::from_iter([("notifications".to_owned(), json!(filter))]);
    connection.send_in_background("subscriptions/listen", params)
}

/// The subscriptions of clients that have sessions, by session.
#[derive(Debug, Default)]
pub(crate) struct SessionSubscriptions(
    Mutex<HashMap<u64, HashMap<Arc<str>, ResourceSubscription>>>,
);

impl SessionSubscriptions {
    /// Begins to keep the subscriptions of a session. Returns `false` if they are kept already.
    pub(crate) fn open(&self, session: u64) -> bool {
        let mut sessions = self.0.lock();
        let is_new = !sessions.contains_key(&session);
        sessions.entry(session).or_default();
        is_new
    }

    /// Ends the subscriptions of a session.
    pub(crate) fn close(&self, session: u64) {
        // Dropped after the lock is free, because the drop of a subscription ends a task.
        let ended = self.0.lock().remove(&session);
        drop(ended);
    }

    /// Returns whether a session may subscribe to one more resource.
    pub(crate) fn has_room(&self, session: u64) -> bool {
        self.0
            .lock()
            .get(&session)
            .is_some_and(|own| own.len() < SUBSCRIPTIONS_MAX)
    }

    /// Adds a subscription of a session that is open.
    pub(crate) fn add(&self, session: u64, uri: Arc<str>, subscription: ResourceSubscription) {
        // Since `has_room`, the session may have ended, or other requests may have used its room.
        let former = match self.0.lock().get_mut(&session) {
            Some(own) if own.len() < SUBSCRIPTIONS_MAX => own.insert(uri, subscription),
            _ => Some(subscription),
        };
        drop(former);
    }

    pub(crate) fn remove(&self, session: u64, uri: &str) {
        let removed = self
            .0
            .lock()
            .get_mut(&session)
            .and_then(|own| own.remove(uri));
        drop(removed);
    }

    /// Returns whether a session is subscribed to a resource of a server, or to one that contains
    /// it.
    pub(crate) fn contains(&self, session: u64, server: &str, uri: &str) -> bool {
        self.0
            .lock()
            .get(&session)
            .is_some_and(|own| own.values().any(|known| known.concerns(server, uri)))
    }
}

/// Returns whether a URI belongs to a resource, or to one below it.
fn contains(resource: &str, uri: &str) -> bool {
    // A server may notify of a sub-resource (MCP schema, `ResourceUpdatedNotification`). What
    // follows must begin a new part, because `a` does not contain `ab`.
    let below = uri.strip_prefix(resource);
    below.is_some_and(|below| {
        below.is_empty() || resource.ends_with('/') || below.starts_with(['/', '?', '#'])
    })
}

/// The request of an upstream's changes, and its end.
#[derive(Debug, Default)]
pub(crate) struct ChangeSubscription {
    open: Option<oneshot::Receiver<Result<Answer, RequestError>>>,
    began: Option<Instant>,
    renewal: Option<Instant>,
    pause: RetryPause,
    is_refused: bool,
}

impl ChangeSubscription {
    /// Asks an upstream of 2026-07-28 to notify changes of its lists, unless it is asked already.
    pub(crate) fn renew(&mut self, connection: &Connection, capabilities: &Value) {
        let is_early = self.renewal.is_some_and(|renewal| Instant::now() < renewal);
        if self.open.is_some() || self.is_refused || is_early || !connection.era().is_modern() {
            return;
        }
        let lists = [
            ("tools", "toolsListChanged"),
            ("prompts", "promptsListChanged"),
            ("resources", "resourcesListChanged"),
        ];
        let lists = lists.iter().filter(|(capability, _)| {
            capabilities
                .pointer(&format!("/{capability}/listChanged"))
                .is_some_and(|own| own == true)
        });
        let filter: JsonObject = lists
            .map(|(_, key)| ((*key).to_owned(), true.into()))
            .collect();
        // Without lists that change there is nothing to ask for, now and later.
        self.is_refused = filter.is_empty();
        if !self.is_refused {
            // If this cannot be sent, the next check asks again.
            self.open = listen(connection, filter).ok().map(SentRequest::keep);
            self.began = Some(Instant::now());
        }
    }

    /// Waits until the upstream has ended the subscription.
    pub(crate) async fn ended(&mut self) {
        // Without a subscription, the caller's `select!` waits for its other branches.
        let Some(open) = &mut self.open else {
            return std::future::pending().await;
        };
        let outcome = open.await;
        self.open = None;
        // A server that refuses once would refuse again. A stream that ends is asked for again.
        self.is_refused = matches!(outcome, Ok(Err(RequestError::Refused(_))));
        let lasted = self.began.map(|began| began.elapsed()).unwrap_or_default();
        self.renewal = Some(Instant::now() + self.pause.next(lasted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_contains_what_is_below_it() {
        for (resource, uri, is_contained) in [
            ("memo://1", "memo://1", true),
            ("memo://1", "memo://1/text", true),
            ("memo://1", "memo://1#end", true),
            ("file:///a/", "file:///a/b", true),
            ("memo://1", "memo://10", false),
            ("memo://10", "memo://1", false),
        ] {
            assert_eq!(contains(resource, uri), is_contained, "{resource} {uri}");
        }
    }
}
