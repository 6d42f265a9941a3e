//! What a connection does with the messages of its transport.

use super::{CallEvent, RequestError, Shared, request::Answer};
use crate::{
    connection::{client_events::EventKind, client_requests, questions},
    failure::failure_text::FailureText,
    message::{
        self, ErrorObject, Message,
        client_request::UpstreamRequest,
        wire::{MessageReservation, UnreadableMessage},
    },
    transport::link::{Link, LinkEvent, MessageStream},
};
use pd_runtime::upstream::size::of_value;
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::{Value, json};
use std::sync::{Arc, Weak, atomic::Ordering};
use tokio::sync::mpsc;

/// The characters of an upstream's log message that are logged.
const LOG_TEXT_MAX: usize = 2_000;

/// The largest notification that is handled, in bytes.
const NOTIFICATION_MAX: usize = 64 * 1024;

/// Handles a transport's events until it ends.
pub(super) async fn handle_events(
    mut events: mpsc::Receiver<LinkEvent>,
    link: Arc<dyn Link>,
    shared: Arc<Shared>,
) {
    while let Some(event) = events.recv().await {
        match event {
            LinkEvent::Message {
                value,
                stream,
                is_whole,
                memory,
            } => {
                // Arrays are batches of 2025-03-26.
                let batch = match value {
                    Value::Array(messages) => messages,
                    message => vec![message],
                };
                // A batch keeps the memory until its last message, so that no answer is free of it.
                let mut memory = Some(memory);
                let last = batch.len().saturating_sub(1);
                for (place, value) in batch.into_iter().enumerate() {
                    let memory = if place == last { memory.take() } else { None };
                    let message = if is_whole {
                        Message::parse_answer(value)
                    } else {
                        Message::parse(value)
                    };
                    match message {
                        Some(message) => {
                            handle(message, stream, memory.unwrap_or_default(), &link, &shared)
                        }
                        None => skip(
                            "skipped JSON that is not a message of JSON-RPC",
                            stream,
                            &shared,
                        ),
                    }
                }
            }
            LinkEvent::Unreadable {
                message,
                stream,
                is_whole,
            } => {
                fail_unreadable(&message, stream, is_whole, &shared);
            }
            LinkEvent::Lost { id, reason } => fail(&shared, id, RequestError::Lost(reason)),
            LinkEvent::Unauthorized { id, error } => {
                fail(&shared, id, RequestError::Unauthorized(error))
            }
            LinkEvent::NotRun { id, reason } => fail(&shared, id, RequestError::NotRun(reason)),
            LinkEvent::Unreachable { id, reason } => {
                fail(&shared, id, RequestError::Unreachable(reason))
            }
            LinkEvent::Interrupted { id, reason } => {
                fail(&shared, id, RequestError::Closed(reason))
            }
            // Other requests may have run, so each waits for its own answer.
            LinkEvent::SessionEnded { id, refusal } => {
                shared.has_expired.store(true, Ordering::Relaxed);
                shared
                    .closed
                    .send_replace(Some("its session has ended".into()));
                // The stream outside of responses has no id, and `fail` would fail all requests.
                if id.is_some() {
                    let error =
                        refusal.map_or(RequestError::SessionEnded, RequestError::SessionLost);
                    fail(&shared, id, error);
                }
            }
            LinkEvent::Exited { reason } => {
                // A server that exits after each response has not failed, also if the next request
                // was on its way.
                let has_served = shared.has_served.load(Ordering::Relaxed);
                let is_done = has_served
                    || shared
                        .pending
                        .lock()
                        .values()
                        .all(|pending| pending.is_background);
                shared.has_expired.store(is_done, Ordering::Relaxed);
                // First, so that a request that follows is refused and not left open.
                shared.closed.send_replace(Some(reason.clone()));
                fail_all(&shared, &RequestError::Closed(reason));
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
    let Some(id) = id else {
        return fail_all(shared, &error);
    };
    if let Some(pending) = shared.pending.lock().remove(&id) {
        let _ = pending.reply.send(Err(error));
    }
}

fn fail_all(shared: &Shared, error: &RequestError) {
    for (_, pending) in shared.pending.lock().drain() {
        let _ = pending.reply.send(Err(error.clone()));
    }
}

/// Fails the requests that an unreadable message answers.
fn fail_unreadable(
    message: &UnreadableMessage,
    stream: MessageStream,
    is_whole: bool,
    shared: &Shared,
) {
    let error = match message.is_too_large {
        true => RequestError::TooLarge(message.reason.clone()),
        false => RequestError::Lost(message.reason.clone().into()),
    };
    let answered = message.scan.answered();
    let mut targets = open_requests(&answered, shared);
    if targets.is_empty() && (is_whole || message.scan.is_answer_without_id()) {
        targets.extend(match stream {
            MessageStream::Request(id) => Some(id),
            MessageStream::Shared => only_request(shared),
            MessageStream::Notification => None,
        });
    }
    if targets.is_empty() {
        // Many servers print a greeting or a warning to the wrong stream.
        skip(
            &format!("skipped a message: {}", message.reason),
            stream,
            shared,
        );
    }
    targets
        .into_iter()
        .for_each(|id| fail(shared, Some(id), error.clone()));
}

/// Logs a message that is not handled. What answers a notification is no reason for a warning.
fn skip(text: &str, stream: MessageStream, shared: &Shared) {
    match stream {
        MessageStream::Notification => tracing::debug!(server = %shared.target.server, "{text}"),
        _ => shared.target.warn(text),
    }
}

/// Returns which of these requests are open.
fn open_requests(ids: &[u64], shared: &Shared) -> Vec<u64> {
    let pending = shared.pending.lock();
    ids.iter()
        .copied()
        .filter(|id| pending.contains_key(id))
        .collect()
}

/// Returns the request with an awaited response, if it is the only one. Subscriptions do not count
/// beside it, because they are open for long.
fn only_request(shared: &Shared) -> Option<u64> {
    let pending = shared.pending.lock();
    let mut awaited = pending
        .iter()
        .filter(|(_, pending)| !pending.is_background)
        .map(|(id, _)| *id);
    if let Some(id) = awaited.next() {
        return awaited.next().is_none().then_some(id);
    }
    let mut subscriptions = pending.keys().copied();
    let id = subscriptions.next()?;
    subscriptions.next().is_none().then_some(id)
}

/// Settles a request. Returns `false` if it is not open.
fn settle(
    id: u64,
    outcome: Result<Value, ErrorObject>,
    memory: MessageReservation,
    shared: &Shared,
) -> bool {
    let Some(pending) = shared.pending.lock().remove(&id) else {
        return false;
    };
    if pending.events.is_some() {
        shared.has_served.store(true, Ordering::Relaxed);
    }
    let outcome = outcome.map_err(|error| RequestError::Refused(Box::new(error)));
    // An error means that the caller has left.
    drop(
        pending
            .reply
            .send(outcome.map(|value| Answer { value, memory })),
    );
    true
}

/// Settles the request that a response without a known id belongs to. It is the request with the
/// response's stream, or the only open one. An error settles it as an error, unless it can be the
/// answer to a notification. A result can belong to another request, so it is not used.
fn settle_unaddressed(
    outcome: Result<Value, ErrorObject>,
    stream: MessageStream,
    memory: MessageReservation,
    shared: &Shared,
) {
    let settled = match (stream, outcome) {
        (MessageStream::Request(id), Err(error)) => Some(settle(id, Err(error), memory, shared)),
        (MessageStream::Request(id), Ok(_)) => {
            let is_open = shared.pending.lock().contains_key(&id);
            fail(
                shared,
                Some(id),
                RequestError::Lost("its response has another id".into()),
            );
            Some(is_open)
        }
        (MessageStream::Shared, Err(error)) if shared.notifications.take(&error) => {
            let server = &*shared.target.server;
            let code = error.code;
            return tracing::debug!(server, code, "an error that answers a notification");
        }
        (MessageStream::Shared, Err(mut error)) => {
            // Which method is unknown is not sure, and a list whose method is unknown is empty.
            if error.code == ErrorCode::METHOD_NOT_FOUND.0 {
                error.code = ErrorCode::INVALID_REQUEST.0;
            }
            only_request(shared).map(|id| settle(id, Err(error), memory, shared))
        }
        (MessageStream::Shared, Ok(_)) | (MessageStream::Notification, _) => None,
    };
    if settled != Some(true) {
        skip(
            "skipped a response without the id of an open request",
            stream,
            shared,
        );
    }
}

/// Handles a message.
fn handle(
    message: Message,
    stream: MessageStream,
    memory: MessageReservation,
    link: &Arc<dyn Link>,
    shared: &Shared,
) {
    if let Message::Response { id, .. } = &message {
        shared.notifications.note_response(*id);
    }
    let during = stream.request();
    match message {
        // Also the late response to a request that was canceled. With another id, in the response to
        // a request, it can only be an answer to this one.
        Message::Response { id, outcome } if open_requests(&[id], shared).is_empty() => {
            match during {
                Some(request) if request != id => {
                    settle_unaddressed(outcome, stream, memory, shared)
                }
                // Nobody waits for the response to the end of a subscription.
                _ => tracing::debug!(id, "a response to no open request"),
            }
        }
        Message::Response { id, outcome } => drop(settle(id, outcome, memory, shared)),
        Message::Unaddressed { outcome } => settle_unaddressed(outcome, stream, memory, shared),
        // Each request gets an answer: servers wait for it, some even after their input ended.
        Message::Request(request) if request.method == "ping" => {
            respond_or_warn(&**link, shared, request.id, Ok(json!({})))
        }
        Message::Request(request) => match place_for(&request.method, during, shared) {
            Some(place) => drop(place.send(CallEvent::Request(request))),
            None => ask_session(request, link, shared),
        },
        Message::Notification { method, params } => notified(&method, params, during, shared),
    }
}

/// Returns the place for a request in the queue of the call that it belongs to. `during` is the
/// request with the response stream that the message came in. A child's request names no call, so
/// it belongs to any call of the session, if all calls are of one. Returns `None` if no call takes
/// the request.
fn place_for(
    method: &str,
    during: Option<u64>,
    shared: &Shared,
) -> Option<mpsc::OwnedPermit<CallEvent>> {
    if client_requests::is_for_call(method) {
        only_call(during, shared)
    } else {
        None
    }
}

/// Returns a place in the queue of the call that a message belongs to.
fn only_call(during: Option<u64>, shared: &Shared) -> Option<mpsc::OwnedPermit<CallEvent>> {
    let pending = shared.pending.lock();
    let of_request = pending
        .iter()
        .filter(|(id, _)| during.is_none_or(|during| during == **id));
    let mut calls =
        of_request.filter_map(|(_, pending)| Some((pending.events.as_ref()?, pending.session)));
    let (events, session) = calls.next()?;
    // A message must not reach a client other than the one that it is about.
    let is_unambiguous = calls.all(|(_, other)| other.is_some() && other == session);
    // Does not wait for room: one slow call must not hold up the messages of the others.
    if is_unambiguous {
        events.clone().try_reserve_owned().ok()
    } else {
        None
    }
}

/// Sends a request that belongs to no call to the client with the session of the connection.
fn ask_session(mut request: UpstreamRequest, link: &Arc<dyn Link>, shared: &Shared) {
    let session = shared.target.session.as_ref().and_then(Weak::upgrade);
    let Some(session) = session.filter(|_| client_requests::is_for_session(&request.method)) else {
        return respond_or_warn(
            &**link,
            shared,
            request.id,
            Err(client_requests::without_call(&request.method)),
        );
    };
    let UpstreamRequest { method, params, .. } = &mut request;
    let server = &shared.target.server;
    let checked = shared
        .questions
        .take(method)
        .and_then(|()| questions::prepare(server, method, params));
    if let Err(refused) = checked {
        return respond(&**link, request.id, Err(refused));
    }
    let Ok(permit) = shared.asking.clone().try_acquire_owned() else {
        return respond_or_warn(
            &**link,
            shared,
            request.id,
            Err(client_requests::too_many()),
        );
    };
    let link = link.clone();
    // A task, because a person may answer late, and the connection must go on until then.
    tokio::spawn(async move {
        let outcome =
            client_requests::ask_peer(session.peer(), &request.method, request.params).await;
        respond(&*link, request.id, outcome);
        drop(permit);
    });
}

pub(super) fn respond(link: &dyn Link, id: Value, outcome: Result<Value, ErrorObject>) {
    let _ = link.send(message::response(id, outcome));
}

/// Answers a request of the upstream, or logs that it takes no answer.
fn respond_or_warn(
    link: &dyn Link,
    shared: &Shared,
    id: Value,
    outcome: Result<Value, ErrorObject>,
) {
    if let Err(error) = link.send(message::response(id, outcome)) {
        shared.target.warn(&format!(
            "could not answer a request of the upstream: {error}"
        ));
    }
}

fn notified(method: &str, params: JsonObject, during: Option<u64>, shared: &Shared) {
    // Many notifications wait for a client, so each is small.
    if params.values().map(of_value).sum::<usize>() > NOTIFICATION_MAX {
        return shared.target.warn("skipped a notification of over 64 KiB");
    }
    match method {
        "notifications/progress" => {
            let token = params.get("progressToken").and_then(Value::as_u64);
            let pending = shared.pending.lock();
            let events = token
                .and_then(|token| pending.get(&token))
                .and_then(|pending| pending.events.as_ref());
            // A report for a request that has ended, or one too many at once.
            if let Some(Ok(place)) = events.map(mpsc::Sender::try_reserve) {
                place.send(CallEvent::Progress(params));
            }
        }
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => {
            // Counted without a receiver, too, because `is_read` compares the number later.
            shared.changes.send_modify(|changes| *changes += 1)
        }
        "notifications/resources/updated" => shared
            .target
            .send(EventKind::ResourceUpdated(Arc::new(params))),
        "notifications/cancelled" => {
            let call = only_call(during, shared);
            if let (Some(place), Some(id)) = (call, params.get("requestId")) {
                place.send(CallEvent::RequestCanceled(id.clone()));
            }
        }
        "notifications/message" => {
            // Checked first, because `hide` searches the whole text.
            if tracing::enabled!(target: "pd_gateway::upstream", tracing::Level::DEBUG) {
                let text = params.get("data").map(Value::to_string).unwrap_or_default();
                // Hidden before the cut, because the beginning of a secret would stay.
                let text: String = shared
                    .target
                    .secrets
                    .hide(&text)
                    .chars()
                    .take(LOG_TEXT_MAX)
                    .collect();
                tracing::debug!(target: "pd_gateway::upstream", "{text}");
            }
            match only_call(during, shared) {
                Some(place) => drop(place.send(CallEvent::Log(params))),
                // Other clients must not read what the server logs about one of them.
                None if shared.target.session.is_some() => {
                    shared.target.send(EventKind::Log(Arc::new(params)))
                }
                None => {}
            }
        }
        _ => {}
    }
}
