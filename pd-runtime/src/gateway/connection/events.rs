//! What a connection does with the messages of its transport.

use super::{
    super::{
        client_events::EventKind,
        client_requests::{self, UpstreamRequest},
        failure_text::FailureText,
        link::{Link, LinkEvent},
        message::{self, Message, RpcError},
    },
    CallEvent, RequestError, Shared,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::{Arc, Weak, atomic::Ordering};
use tokio::sync::mpsc;

/// The characters of an upstream's log message that are logged.
const LOG_TEXT_MAX: usize = 2_000;

/// Handles a transport's events until it ends.
pub(super) async fn handle_events(mut events: mpsc::Receiver<LinkEvent>, link: Arc<dyn Link>, shared: Arc<Shared>) {
    while let Some(event) = events.recv().await {
        match event {
            LinkEvent::Message { value, during } => match Message::parse(value) {
                Some(message) => handle(message, during, &link, &shared),
                None => tracing::warn!("skipped JSON that is not a message of JSON-RPC"),
            },
            LinkEvent::Lost { id, reason } => fail(&shared, id, RequestError::Lost(reason)),
            LinkEvent::Unauthorized { id, error } => fail(&shared, id, RequestError::Unauthorized(error)),
            LinkEvent::SessionEnded => {
                shared.has_expired.store(true, Ordering::Relaxed);
                shared.closed.send_replace(Some("its session has ended".into()));
                fail_all(&shared, &RequestError::SessionEnded);
                return;
            }
            LinkEvent::Closed { reason } => {
                shared.closed.send_replace(Some(reason.clone()));
                fail_all(&shared, &RequestError::Closed(reason));
                return;
            }
        }
    }
    let reason: FailureText = "its transport ended".into();
    shared.closed.send_replace(Some(reason.clone()));
    fail_all(&shared, &RequestError::Closed(reason));
}

/// Fails one request or, without an id, all that are open.
fn fail(shared: &Shared, id: Option<u64>, error: RequestError) {
    let Some(id) = id else { return fail_all(shared, &error) };
    if let Some(pending) = shared.pending.lock().remove(&id) {
        let _ = pending.reply.send(Err(error));
    }
}

fn fail_all(shared: &Shared, error: &RequestError) {
    for (_, pending) in shared.pending.lock().drain() {
        let _ = pending.reply.send(Err(error.clone()));
    }
}

/// Handles a message. `during` is the request in whose response stream it came.
fn handle(message: Message, during: Option<u64>, link: &Arc<dyn Link>, shared: &Shared) {
    match message {
        Message::Response { id, outcome } => match shared.pending.lock().remove(&id) {
            Some(pending) => drop(pending.reply.send(outcome.map_err(|error| RequestError::Refused(Box::new(error))))),
            // Also the late response to a request that was canceled.
            None => tracing::debug!(id, "a response to no open request"),
        },
        // Each request gets an answer: servers wait for it, some even after their input ended.
        Message::Request(request) if request.method == "ping" => respond(&**link, request.id, Ok(json!({}))),
        Message::Request(request) => match place_for(&request.method, during, shared) {
            Some(place) => drop(place.send(CallEvent::Request(request))),
            None => ask_session(request, link, shared),
        },
        Message::Notification { method, params } => notified(&method, params, during, shared),
    }
}

/// Returns the place for a request in the queue of the call that it belongs to. A child's request
/// names no call, so it belongs to any call of the session, if all calls are of one. Returns `None`
/// if no call takes the request.
fn place_for(method: &str, during: Option<u64>, shared: &Shared) -> Option<mpsc::OwnedPermit<CallEvent>> {
    if client_requests::is_for_call(method) { only_call(during, shared) } else { None }
}

/// Returns a place in the queue of the call that a message belongs to.
fn only_call(during: Option<u64>, shared: &Shared) -> Option<mpsc::OwnedPermit<CallEvent>> {
    let pending = shared.pending.lock();
    let of_request = pending.iter().filter(|(id, _)| during.is_none_or(|during| during == **id));
    let mut calls = of_request.filter_map(|(_, pending)| Some((pending.events.as_ref()?, pending.session)));
    let (events, session) = calls.next()?;
    let is_unambiguous = calls.all(|(_, other)| other.is_some() && other == session);
    if is_unambiguous { events.clone().try_reserve_owned().ok() } else { None }
}

/// Sends a request that belongs to no call to the client whose session has the connection.
fn ask_session(request: UpstreamRequest, link: &Arc<dyn Link>, shared: &Shared) {
    let session = shared.target.session.as_ref().and_then(Weak::upgrade);
    let Some(session) = session.filter(|_| client_requests::is_for_session(&request.method)) else {
        return respond(&**link, request.id, Err(client_requests::without_call(&request.method)));
    };
    let Ok(permit) = shared.asking.clone().try_acquire_owned() else {
        return respond(&**link, request.id, Err(client_requests::too_many()));
    };
    let link = link.clone();
    tokio::spawn(async move {
        let outcome = client_requests::ask_peer(session.peer(), &request.method, request.params).await;
        respond(&*link, request.id, outcome);
        drop(permit);
    });
}

pub(super) fn respond(link: &dyn Link, id: Value, outcome: Result<Value, RpcError>) {
    if let Err(error) = link.send(message::response(id, outcome)) {
        tracing::warn!(%error, "could not answer a request of the upstream");
    }
}

fn notified(method: &str, params: JsonObject, during: Option<u64>, shared: &Shared) {
    match method {
        "notifications/progress" => {
            let token = params.get("progressToken").and_then(Value::as_u64);
            let pending = shared.pending.lock();
            let events = token.and_then(|token| pending.get(&token)).and_then(|pending| pending.events.as_ref());
            // A report for a request that has ended, or one too many at once.
            if let Some(Ok(place)) = events.map(mpsc::Sender::try_reserve) {
                place.send(CallEvent::Progress(params));
            }
        }
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => shared.changes.send_modify(|changes| *changes += 1),
        "notifications/resources/updated" => shared.target.send(EventKind::ResourceUpdated(Arc::new(params))),
        "notifications/message" => {
            let text = params.get("data").map(Value::to_string).unwrap_or_default();
            let text: String = shared.target.secrets.hide(&text).chars().take(LOG_TEXT_MAX).collect();
            tracing::debug!(target: "pd_runtime::gateway::upstream", "{text}");
            match only_call(during, shared) {
                Some(place) => drop(place.send(CallEvent::Log(params))),
                // Other clients must not read what the server logs about one of them.
                None if shared.target.session.is_some() => shared.target.send(EventKind::Log(Arc::new(params))),
                None => {}
            }
        }
        _ => {}
    }
}
