//! Notifies the clients of a gateway: clients with sessions, and the subscriptions of clients of
//! 2026-07-28.

use crate::{
    Gateway,
    config::ConnectionSharing,
    connection::{
        client_events::{ClientEvent, EventKind},
        client_requests,
        era::HOP_PREFIX,
    },
    message::{log_level::LogLevel, view_uri::ViewNames},
    upstream::{
        Upstream,
        subscriptions::{ResourceSubscription, SUBSCRIPTIONS_MAX},
        upstream_error::UpstreamError,
    },
};
use pd_runtime::{
    CallContext, ToolError,
    upstream::{CallerAuthority, ClientSession},
};
use rmcp::{
    ErrorData,
    model::{JsonObject, SubscriptionFilter},
    service::{SubscriptionContext, SubscriptionSink},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Weak, atomic::Ordering::Relaxed},
};
use tokio::sync::broadcast::error::RecvError;

impl Gateway {
    /// Notifies a client until its session ends. A second call has no effect.
    pub(crate) fn open_session(&self, session: &Arc<ClientSession>) {
        if self.shared.subscriptions.open(session.number()) {
            tokio::spawn(notify_session(self.clone(), Arc::downgrade(session)));
        }
    }

    /// Subscribes the client of a session to a resource.
    pub(crate) async fn subscribe_session(
        &self,
        uri: String,
        context: &CallContext,
    ) -> Result<(), ErrorData> {
        let session = context.client_session();
        let Some(session) = session else {
            return Err(ErrorData::invalid_request(
                "a subscription to a resource needs a session",
                None,
            ));
        };
        // A request may overtake `notifications/initialized`.
        self.open_session(session);
        let subscriptions = &self.shared.subscriptions;
        // Before anything is started for a subscription that would be dropped.
        if !subscriptions.has_room(session.number()) {
            let text = format!(
                "a session has at most {SUBSCRIPTIONS_MAX} subscriptions; end some of them first"
            );
            return Err(ErrorData::invalid_request(text, None));
        }
        let uri: Arc<str> = uri.into();
        // Only the wait matters: `subscribe` finds the owner once more.
        let owner = self
            .find_or_wait(context, |_| true, || self.resource_owner(&uri, context))
            .await;
        owner.map_err(ToolError::into_error_data)?;
        let subscribed = self
            .subscribe(vec![uri.clone()], context)
            .await
            .pop()
            .ok_or_else(|| {
                ErrorData::resource_not_found(
                    "no server has this resource; read `resources/list`",
                    None,
                )
            })?;
        let subscription =
            subscribed.map_err(|error| ToolError::into_error_data(error.into_tool_error()))?;
        subscriptions.add(session.number(), uri, subscription);
        Ok(())
    }

    pub(crate) fn unsubscribe_session(&self, uri: &str, context: &CallContext) {
        let session = context.client_session();
        session
            .into_iter()
            .for_each(|session| self.shared.subscriptions.remove(session.number(), uri));
    }

    /// Returns the names that clients have for the views of a server.
    fn view_names<'a>(&self, server: &'a str) -> ViewNames<'a> {
        let has_several = self.shared.has_several.load(Relaxed);
        ViewNames {
            server: has_several.then_some(server),
        }
    }

    /// Subscribes a client to resources, at each upstream that one of them came from.
    async fn subscribe(
        &self,
        uris: Vec<Arc<str>>,
        context: &CallContext,
    ) -> Vec<Result<ResourceSubscription, UpstreamError>> {
        let mut by_server: HashMap<String, (Arc<Upstream>, Vec<Arc<str>>)> = HashMap::new();
        let mut refused = Vec::new();
        for uri in uris {
            let upstream = match self.resource_owner(&uri, context) {
                None => continue,
                Some(Ok(upstream)) => upstream,
                Some(Err(error)) => {
                    refused.push(Err(error));
                    continue;
                }
            };
            let own: Arc<str> = upstream.own_uri(&uri).into();
            // One `subscriptions/listen` has all resources of a server.
            by_server
                .entry(upstream.name().to_owned())
                .or_insert_with(|| (upstream, Vec::new()))
                .1
                .push(own);
        }
        let mut subscriptions = refused;
        for (upstream, uris) in by_server.into_values() {
            let subscribed = match upstream.client_of(context) {
                Ok(client) => upstream.subscribe(client, uris).await,
                Err(error) => Err(error),
            };
            subscriptions.push(subscribed.map_err(|error| error.for_caller(context.authority())));
        }
        subscriptions
    }

    /// Returns the part of a filter that a gateway serves.
    pub(crate) fn accepted_filter(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = requested.clone();
        // Which resources exist depends on the caller, who is not known here.
        accepted
            .resource_subscriptions
            .iter_mut()
            .for_each(|uris| uris.truncate(SUBSCRIPTIONS_MAX));
        accepted
    }

    /// Notifies a client of 2026-07-28 until it ends its subscription.
    pub(crate) async fn notify_subscription(
        &self,
        subscription: &SubscriptionContext,
        call: &CallContext,
    ) {
        let mut events = self.shared.events.subscribe();
        let uris = subscription
            .accepted()
            .resource_subscriptions
            .iter()
            .flatten()
            .map(|uri| Arc::from(uri.as_str()));
        // After the receiver of events is there, so that no change in between is missed.
        let subscribed = self.subscribe(uris.collect(), call).await;
        subscribed
            .iter()
            .filter_map(|subscribed| subscribed.as_ref().err())
            .for_each(|error| {
                tracing::warn!(%error, "a client could not be subscribed to resources");
            });
        let notifying = async {
            loop {
                match events.recv().await {
                    Ok(event) if !is_subscribed(&event, &subscribed) => {}
                    Ok(event) if self.is_for(&event, call.authority(), None) => {
                        let names = self.view_names(&event.server);
                        notify_sink(subscription.sink(), event.kind, names).await;
                    }
                    Ok(_) => {}
                    // The missed events are not known, so the client reads all lists again.
                    Err(RecvError::Lagged(_)) => {
                        let sink = subscription.sink();
                        let names = ViewNames { server: None };
                        notify_sink(sink, EventKind::PromptsChanged, names).await;
                        notify_sink(sink, EventKind::ResourcesChanged, names).await;
                    }
                    Err(RecvError::Closed) => return,
                }
            }
        };
        tokio::select! {
            () = notifying => {}
            () = subscription.cancelled() => {}
        }
    }

    /// Returns whether an event concerns a client with this authority and session.
    fn is_for(
        &self,
        event: &ClientEvent,
        authority: &CallerAuthority,
        session: Option<u64>,
    ) -> bool {
        let is_own = event.session.is_none() || event.session == session;
        is_own
            && self
                .visible(authority)
                .any(|upstream| upstream.name() == &*event.server)
    }

    /// Notifies the upstreams that have a connection for this session alone that its client has
    /// other roots.
    pub(crate) fn roots_changed(&self, session: &ClientSession) {
        for upstream in self.upstreams().iter() {
            let is_own = upstream.entry.settings.share == Some(ConnectionSharing::Session);
            let connection = is_own
                .then(|| upstream.connections.of_session(session))
                .flatten();
            if let Some(connection) = connection.filter(|connection| !connection.era().is_modern())
            {
                let _ = connection.notify("notifications/roots/list_changed", JsonObject::new());
            }
        }
    }
}

/// Returns whether a change of a resource comes from the server that the client is subscribed at.
/// Other events always concern the client.
fn is_subscribed(
    event: &ClientEvent,
    subscriptions: &[Result<ResourceSubscription, UpstreamError>],
) -> bool {
    let EventKind::ResourceUpdated(params) = &event.kind else {
        return true;
    };
    let uri = params
        .get("uri")
        .and_then(Value::as_str)
        .unwrap_or_default();
    subscriptions
        .iter()
        .flatten()
        .any(|subscription| subscription.concerns(&event.server, uri))
}

/// Notifies the client of a session until it ends.
async fn notify_session(gateway: Gateway, session: Weak<ClientSession>) {
    let Some((number, ended)) = session
        .upgrade()
        .map(|open| (open.number(), open.ended().clone()))
    else {
        return;
    };
    let mut events = gateway.shared.events.subscribe();
    loop {
        let event = tokio::select! {
            () = ended.cancelled() => break,
            event = events.recv() => event,
        };
        // Held for one event only: a strong reference would keep the session from ending.
        let Some(open) = session.upgrade() else { break };
        match event {
            Ok(event) if gateway.is_for(&event, open.authority(), Some(number)) => {
                notify_client(&gateway, &open, &event.server, event.kind).await;
            }
            Ok(_) => {}
            // The missed events are not known, so the client reads all lists again.
            Err(RecvError::Lagged(_)) => {
                notify_client(&gateway, &open, "", EventKind::PromptsChanged).await;
                notify_client(&gateway, &open, "", EventKind::ResourcesChanged).await;
            }
            Err(RecvError::Closed) => break,
        }
    }
    gateway.shared.subscriptions.close(number);
}

async fn notify_client(gateway: &Gateway, session: &ClientSession, server: &str, kind: EventKind) {
    let peer = session.peer();
    // An error means that the client has left. Its session ends then.
    match kind {
        EventKind::PromptsChanged => drop(peer.notify_prompt_list_changed().await),
        EventKind::ResourcesChanged => drop(peer.notify_resource_list_changed().await),
        EventKind::ResourceUpdated(params) => {
            let uri = params
                .get("uri")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if gateway
                .shared
                .subscriptions
                .contains(session.number(), server, uri)
            {
                let uri = gateway.view_names(server).outer(uri).into_owned();
                let mut params = without_hop_keys(&params);
                params.insert("uri".to_owned(), uri.into());
                client_requests::notify(peer, "notifications/resources/updated", params).await;
            }
        }
        EventKind::Log(message) => {
            if LogLevel::from_session(session).is_some_and(|level| level.reads(&message)) {
                client_requests::notify(peer, "notifications/message", (*message).clone()).await;
            }
        }
    }
}

async fn notify_sink(sink: &SubscriptionSink, kind: EventKind, names: ViewNames<'_>) {
    // An error means that the client did not ask for this notification.
    match kind {
        EventKind::PromptsChanged => drop(sink.notify_prompt_list_changed().await),
        EventKind::ResourcesChanged => drop(sink.notify_resource_list_changed().await),
        EventKind::ResourceUpdated(params) => {
            if let Some(uri) = params.get("uri").and_then(Value::as_str) {
                drop(sink.notify_resource_updated(names.outer(uri)).await);
            }
        }
        // Since 2026-07-28, a log message belongs to a request.
        EventKind::Log(_) => {}
    }
}

fn without_hop_keys(params: &JsonObject) -> JsonObject {
    let mut params = params.clone();
    if let Some(Value::Object(meta)) = params.get_mut("_meta") {
        meta.retain(|key, _| !key.starts_with(HOP_PREFIX));
        if meta.is_empty() {
            params.remove("_meta");
        }
    }
    params
}
