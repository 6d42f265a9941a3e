//! Serves one self-contained request as rmcp's transport does, but from the parsed request.

use super::{held_bytes::held, response_body::ResponseBody};
use crate::{http_sessions::McpService, protocol::answer_memory::AnswerMemory};

use axum::body::{Body, Bytes};
use futures::{StreamExt, stream};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::BodyExt;
use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorCode, GetExtensions, JsonRpcMessage,
        JsonRpcRequest, ServerJsonRpcMessage,
    },
    transport::OneshotTransport,
};
use sse_stream::{KeepAlive, Sse, SseBody, Timer};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};
use tokio::{
    sync::mpsc::Receiver,
    time::{Sleep, sleep},
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The interval of keep-alive comments in a stream: the same as rmcp's.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Answers a request with complete metadata. Cancelling `closed` ends all streams.
pub(super) async fn answer(
    mut request: JsonRpcRequest<ClientRequest>,
    parts: Parts,
    rmcp: &dyn McpService,
    closed: &CancellationToken,
) -> Response<ResponseBody> {
    // Handlers read the principal and the address from the request's head, as behind rmcp's
    // transport.
    let memory = AnswerMemory::default();
    let extensions = request.request.extensions_mut();
    extensions.insert(parts);
    extensions.insert(memory.clone());
    let (transport, mut answers) =
        OneshotTransport::<RoleServer>::new(ClientJsonRpcMessage::Request(request));
    let over = CancellationToken::new();
    rmcp.serve_one(transport, over.clone());
    // Dropped with this future: a client that disconnects cancels its request.
    let guard = over.drop_guard();
    match closed.run_until_cancelled(answers.recv()).await.flatten() {
        None => broken_off(),
        // Most calls send nothing but their result, which is then plain JSON instead of a stream.
        Some(only) if ends(&only) => in_json(&only, &memory),
        Some(first) => in_events(first, answers, guard, closed.clone(), memory),
    }
}

fn ends(message: &ServerJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
    )
}

fn in_json(message: &ServerJsonRpcMessage, memory: &AnswerMemory) -> Response<ResponseBody> {
    let Ok(written) = serde_json::to_vec(message) else {
        return broken_off();
    };
    let mut response = Response::new(ResponseBody::whole(held(Bytes::from(written), memory)));
    *response.status_mut() = status(message);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns the status of an error that HTTP must show (2026-07-28, transports).
fn status(message: &ServerJsonRpcMessage) -> StatusCode {
    let JsonRpcMessage::Error(error) = message else {
        return StatusCode::OK;
    };
    match error.error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// Builds the answer to a call that has none, because the server is stopping or the call's handler
/// has gone.
fn broken_off() -> Response<ResponseBody> {
    tracing::error!("a call ended without an answer");
    let message_text = "the call ended without an answer; it may have run, so check whether it did before you send it again";
    let mut response = Response::new(ResponseBody::whole(Bytes::from_static(
        message_text.as_bytes(),
    )));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response
}

/// Builds the event stream of a request that sends messages before its result.
fn in_events(
    first: ServerJsonRpcMessage,
    mut rest: Receiver<ServerJsonRpcMessage>,
    guard: DropGuard,
    closed: CancellationToken,
    memory: AnswerMemory,
) -> Response<ResponseBody> {
    let messages =
        stream::iter([first]).chain(stream::poll_fn(move |context| rest.poll_recv(context)));
    let events = messages.map(move |message| {
        // Moves the guard into the stream: a client that closes it cancels the request.
        let _held = &guard;
        Ok::<_, Infallible>(
            Sse::default().data(serde_json::to_string(&message).unwrap_or_default()),
        )
    });
    let events = SseBody::new(events.take_until(closed.cancelled_owned()));
    let body = events.with_keep_alive::<TokioTimer>(KeepAlive::new().interval(KEEP_ALIVE));
    let body = body.map_frame(move |frame| frame.map_data(|part| held(part, &memory)));
    let mut response = Response::new(ResponseBody::Other(Body::new(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // nginx buffers responses by default, which would delay events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// tokio's timer, for the keep-alive comments.
struct TokioTimer(Pin<Box<Sleep>>);

impl Future for TokioTimer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl Timer for TokioTimer {
    fn from_duration(duration: Duration) -> Self {
        Self(Box::pin(sleep(duration)))
    }

    fn reset(mut self: Pin<&mut Self>, when: Instant) {
        self.0.as_mut().reset(when.into());
    }
}
