//! Forwards a client's request to an upstream, and what belongs to it: progress, cancellation, and
//! the requests that the upstream makes in turn.

use super::{
    cached_lists::ListedTool,
    client_requests::{self, UpstreamRequest},
    connection::{CallEvent, CallSide, Connection, RequestError},
    link::ParamHeaders,
    log_level::LogLevel,
    upstream::Upstream,
    upstream_error::UpstreamError,
};
use crate::{
    protocol::{
        json_value,
        keys::{TICKET, TICKETS},
    },
    tool::context::CallContext,
};
use futures::{StreamExt, stream::FuturesUnordered};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::sync::Arc;

/// The requests of an upstream that one call answers at once. Further requests are refused.
const REQUESTS_MAX: usize = 8;
/// The rounds of input that one call may require.
const ROUNDS_MAX: usize = 16;

/// A client's request to an upstream.
pub(super) struct ForwardedRequest<'a> {
    pub(super) method: &'static str,
    /// Without `_meta` and the client's input, which are those of the context.
    pub(super) params: JsonObject,
    pub(super) context: &'a CallContext,
    pub(super) headers: ParamHeaders,
    /// Whether the request may be sent again if the upstream ended before it answered.
    pub(super) is_repeatable: bool,
    /// The tool that is called. It must not have changed since the client read its description.
    pub(super) tool: Option<&'a ListedTool>,
}

impl Upstream {
    /// Sends a request, and waits for the result.
    ///
    /// A request that the upstream refused because its session has ended did not run, so it is sent
    /// once more. So is a repeatable request if the upstream ended in between, after the first pause.
    pub(super) async fn forward(self: &Arc<Self>, request: ForwardedRequest<'_>) -> Result<Value, UpstreamError> {
        let context = request.context;
        self.forward_twice(request).await.map_err(|error| error.for_caller(context.authority()))
    }

    async fn forward_twice(self: &Arc<Self>, request: ForwardedRequest<'_>) -> Result<Value, UpstreamError> {
        let failed = match self.forward_once(&request).await {
            Err(UpstreamError::Request { error, .. }) => error,
            outcome => return outcome,
        };
        let is_sent_again = match failed {
            RequestError::SessionEnded => true,
            RequestError::Closed(_) => request.is_repeatable,
            _ => false,
        };
        if !is_sent_again {
            return Err(self.request_error(failed));
        }
        self.wait_for_restart(&self.client_of(request.context)?).await;
        match self.forward_once(&request).await {
            // The reason why it failed first says more than the pause before the next start.
            Err(UpstreamError::Waiting { .. }) => Err(self.request_error(failed)),
            outcome => outcome,
        }
    }

    async fn forward_once(self: &Arc<Self>, request: &ForwardedRequest<'_>) -> Result<Value, UpstreamError> {
        let client = self.client_of(request.context)?;
        let connection = self.connection(&client).await?;
        if let Some(tool) = request.tool {
            self.check_tool(tool, &connection).await?;
        }
        let mut params = params(request, &connection);
        for _ in 0..ROUNDS_MAX {
            let result = exchange(&connection, request, params.clone()).await;
            let result = result.map_err(|error| self.request_error(error))?;
            if !client_requests::must_be_bridged(&result, request.context) {
                return Ok(with_result_type(result, request.context));
            }
            let input = client_requests::collect_input(result, request.context).await;
            params.extend(input.map_err(|error| self.request_error(error))?);
        }
        Err(self.request_error(RequestError::Rounds(ROUNDS_MAX)))
    }
}

/// Adds `resultType`, which clients of 2026-07-28 require of each result. Upstreams before this
/// version do not send it.
fn with_result_type(mut result: Value, context: &CallContext) -> Value {
    if client_requests::has_modern_client(context)
        && let Value::Object(result) = &mut result
    {
        result.entry("resultType").or_insert_with(|| "complete".into());
    }
    result
}

/// Returns the params with the client's `_meta` and input.
fn params(request: &ForwardedRequest<'_>, connection: &Connection) -> JsonObject {
    let (mut params, context) = (request.params.clone(), request.context);
    let meta = context.request().and_then(|request| json_value::to_value(&request.meta).ok());
    if let Some(Value::Object(mut meta)) = meta {
        // Tickets are between the client and this gateway.
        meta.retain(|key, _| key != TICKET && key != TICKETS);
        params.insert("_meta".to_owned(), Value::Object(meta));
    }
    if connection.era().is_modern() {
        let responses = context.input_responses().and_then(|responses| json_value::to_value(responses).ok());
        params.extend(responses.map(|responses| ("inputResponses".to_owned(), responses)));
        params.extend(context.request_state().map(|state| ("requestState".to_owned(), state.into())));
    }
    params
}

/// Sends one message, and handles what comes before its response.
async fn exchange(
    connection: &Connection,
    request: &ForwardedRequest<'_>,
    params: JsonObject,
) -> Result<Value, RequestError> {
    let context = request.context;
    let (events, mut queue) = Connection::event_channel();
    let wants_progress = context.request().is_some_and(|request| request.meta.get_progress_token().is_some());
    let capabilities = client_requests::capabilities(context);
    let session = context.client_session();
    let (session, log_level) = (session.map(|session| session.number()), LogLevel::from_call(context));
    log_level.into_iter().for_each(|level| connection.request_logs(level));
    let side = CallSide { events, wants_progress, capabilities, headers: request.headers.clone(), session, log_level };
    let mut sent = connection.send(request.method, params, Some(side))?;
    let mut answers = FuturesUnordered::new();
    loop {
        tokio::select! {
            // In this order: a report that came before the response is forwarded before it.
            biased;
            Some(event) = queue.recv() => match event {
                CallEvent::Progress(report) => forward_progress(&report, context).await,
                CallEvent::Log(message) => forward_log(message, context).await,
                CallEvent::Request(request) if answers.len() < REQUESTS_MAX => {
                    answers.push(answer(connection, context, request));
                }
                CallEvent::Request(request) => connection.respond(request.id, Err(client_requests::too_many())),
            },
            Some(()) = answers.next() => {}
            response = sent.response() => return response,
            // Dropping the request cancels it at the upstream, too.
            () = context.cancellation().cancelled() => return Err(RequestError::Canceled),
        }
    }
}

async fn answer(connection: &Connection, context: &CallContext, request: UpstreamRequest) {
    let outcome = client_requests::ask(context, &request.method, request.params).await;
    connection.respond(request.id, outcome);
}

async fn forward_progress(report: &JsonObject, context: &CallContext) {
    let number = |key: &str| report.get(key).and_then(Value::as_f64);
    let message = report.get("message").and_then(Value::as_str).unwrap_or_default();
    context.progress(number("progress").unwrap_or_default(), number("total"), message).await;
}

async fn forward_log(message: JsonObject, context: &CallContext) {
    let is_read = LogLevel::from_call(context).is_some_and(|level| level.reads(&message));
    if let Some(peer) = context.peer().filter(|_| is_read) {
        client_requests::notify(peer, "notifications/message", message).await;
    }
}
