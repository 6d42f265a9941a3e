//! Forwards a client's request to an upstream, and what belongs to it: progress, cancellation, and
//! the requests that the upstream makes in turn.
//!
//! This file sends a request, and sends it once more if it did not run. `call` is the call of a
//! tool: its rate, its headers, and the shape of its result.

pub(crate) mod call;

use crate::{
    connection::{
        CallEvent, CallSide, Connection, RequestError, client_requests,
        questions::{self, QuestionBudget},
    },
    lists::cached_lists::ListedTool,
    message::{client_request::UpstreamRequest, log_level::LogLevel, own_keys::remove_from},
    transport::link::ParamHeaders,
    upstream::{Upstream, health::BACKOFF_MIN, upstream_error::UpstreamError},
};
use futures::{StreamExt, stream::FuturesUnordered};
use pd_runtime::{
    CallContext,
    upstream::{
        protocol::{
            json_value,
            keys::{TICKET, TICKETS},
        },
        size::of_value,
    },
};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The requests of an upstream that one call answers at once. Further requests are refused.
const REQUESTS_MAX: usize = 8;
/// The rounds of input that one call may require.
const ROUNDS_MAX: usize = 16;

/// A client's request to an upstream.
pub(crate) struct ForwardedRequest<'a> {
    pub(crate) method: &'static str,
    /// The params without `_meta` and the client's input, which come from the context.
    pub(crate) params: JsonObject,
    pub(crate) context: &'a CallContext,
    pub(crate) headers: ParamHeaders,
    /// Whether the request may be sent again if the upstream ended before it answered.
    pub(crate) is_repeatable: bool,
    /// The tool that is called. It must not have changed since the client read its description.
    pub(crate) tool: Option<&'a ListedTool>,
}

impl Upstream {
    /// Sends a request, and waits for the result.
    ///
    /// A request that did not run, because its session or connection has ended, is sent once more.
    /// So is a repeatable request if the upstream ended in between, after the first pause.
    pub(crate) async fn forward(
        self: &Arc<Self>,
        request: ForwardedRequest<'_>,
    ) -> Result<Value, UpstreamError> {
        let context = request.context;
        self.forward_twice(request)
            .await
            .map_err(|error| error.for_caller(context.authority()))
    }

    async fn forward_twice(
        self: &Arc<Self>,
        request: ForwardedRequest<'_>,
    ) -> Result<Value, UpstreamError> {
        let failed = match self.forward_once(&request).await {
            Err(UpstreamError::Request { error, .. }) => error,
            outcome => return outcome,
        };
        let is_sent_again = match failed {
            // It did not run.
            RequestError::SessionEnded
            | RequestError::Ended(_)
            | RequestError::Unreachable(_)
            | RequestError::InputClosed => true,
            // It may have run, so it is sent again only if a second run changes nothing more.
            RequestError::Closed(_) | RequestError::SessionLost(_) => request.is_repeatable,
            _ => false,
        };
        if !is_sent_again {
            return Err(self.request_error(failed));
        }
        if let RequestError::Unreachable(_) = failed {
            // A server that restarts takes no connections for a moment.
            sleep(BACKOFF_MIN).await;
        }
        match self.forward_once(&request).await {
            // The reason why it failed first says more than the pause before the next start.
            Err(UpstreamError::Waiting { .. }) => Err(self.request_error(failed)),
            outcome => outcome,
        }
    }

    async fn forward_once(
        self: &Arc<Self>,
        request: &ForwardedRequest<'_>,
    ) -> Result<Value, UpstreamError> {
        let client = self.client_of(request.context)?;
        let connection = self.connection(&client).await?;
        if let Some(tool) = request.tool {
            // With an open connection, because a server can change while it is not running.
            self.check_tool(tool, &connection).await?;
        }
        let mut params = params(request, &connection);
        let round = self.shared.questions.open(self.name(), &mut params);
        let asked = Questions {
            server: self.name(),
            budget: &round.budget,
        };
        for _ in 0..ROUNDS_MAX {
            // Copied, because the next round sends the same params with further input.
            let result = exchange(&connection, request, params.clone(), asked).await;
            if let Err(RequestError::InputClosed) = result {
                connection.noticed_end().await;
            }
            let mut result = result
                .map_err(|error| self.request_error(self.prepared_error(self.bounded(error))))?;
            self.check_size(&result)?;
            let is_bridged = client_requests::must_be_bridged(&result, request.context);
            // What is bridged is counted when the gateway asks (`collect_input`), and not twice.
            let counted = Some(&*round.budget).filter(|_| !is_bridged);
            let prepared = questions::prepare_result(self.name(), &mut result, counted);
            prepared.map_err(|reason| self.request_error(RequestError::Input(reason.into())))?;
            if !is_bridged {
                self.shared.questions.seal(self.name(), &round, &mut result);
                return Ok(with_result_type(result, request.context));
            }
            let input =
                client_requests::collect_input(result, request.context, &round.budget).await;
            params.extend(input.map_err(|error| self.request_error(error))?);
        }
        Err(self.request_error(RequestError::Rounds(ROUNDS_MAX)))
    }

    /// Returns the error with the name of the server in its elicitations.
    fn prepared_error(&self, mut error: RequestError) -> RequestError {
        if let RequestError::Refused(refused) = &mut error {
            questions::prepare_error(self.name(), refused);
        }
        error
    }
}

/// The requests that a server makes within one call.
#[derive(Debug, Clone, Copy)]
struct Questions<'a> {
    server: &'a str,
    budget: &'a QuestionBudget,
}

impl Upstream {
    /// Returns an upstream's error with data that a client may read.
    fn bounded(&self, error: RequestError) -> RequestError {
        let RequestError::Refused(mut refused) = error else {
            return error;
        };
        if let Some(data) = &mut refused.data {
            remove_from(data);
            let bytes = of_value(data);
            let max = self.bounds().response_bytes;
            if bytes > max {
                refused.data = None;
                refused.message.push_str(&format!(
                    " (its data is left out: {bytes} bytes, over the limit of {max})"
                ));
            }
        }
        RequestError::Refused(refused)
    }

    /// Checks the size of a result against the limit of the entry.
    fn check_size(&self, result: &Value) -> Result<(), UpstreamError> {
        let bytes = of_value(result);
        let max = self.bounds().response_bytes;
        if bytes <= max {
            return Ok(());
        }
        let reason = format!("its result has {bytes} bytes, over the limit of {max}");
        Err(self.request_error(RequestError::TooLarge(reason.into())))
    }
}

/// Adds `resultType`, which clients of 2026-07-28 require of each result. Upstreams before this
/// version do not send it.
fn with_result_type(mut result: Value, context: &CallContext) -> Value {
    if client_requests::has_modern_client(context)
        && let Value::Object(result) = &mut result
    {
        result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
    }
    result
}

/// Returns the params with the client's `_meta` and input.
fn params(request: &ForwardedRequest<'_>, connection: &Connection) -> JsonObject {
    let mut params = request.params.clone();
    let context = request.context;
    let meta = context
        .request()
        .and_then(|request| json_value::to_value(&request.meta).ok());
    if let Some(Value::Object(mut meta)) = meta {
        // Tickets are between the client and this gateway.
        meta.retain(|key, _| key != TICKET && key != TICKETS);
        params.insert("_meta".to_owned(), Value::Object(meta));
    }
    // Earlier servers have no rounds: they ask within the request.
    if connection.era().is_modern() {
        let responses = context
            .input_responses()
            .and_then(|responses| json_value::to_value(responses).ok());
        params.extend(responses.map(|responses| ("inputResponses".to_owned(), responses)));
        params.extend(
            context
                .request_state()
                .map(|state| ("requestState".to_owned(), state.into())),
        );
    }
    params
}

/// Sends one message, and handles what comes before its response.
async fn exchange(
    connection: &Connection,
    request: &ForwardedRequest<'_>,
    params: JsonObject,
    asked: Questions<'_>,
) -> Result<Value, RequestError> {
    let context = request.context;
    let (events, mut queue) = Connection::event_channel();
    let wants_progress = context
        .request()
        .is_some_and(|request| request.meta.get_progress_token().is_some());
    let capabilities = client_requests::capabilities(context);
    let session = context.client_session().map(|session| session.number());
    let log_level = LogLevel::from_call(context);
    // Before the request, so that the level holds for what the request logs.
    log_level
        .into_iter()
        .for_each(|level| connection.request_logs(level));
    let side = CallSide {
        events,
        wants_progress,
        capabilities,
        headers: request.headers.clone(),
        session,
        log_level,
    };
    let mut sent = connection.send(request.method, params, Some(side))?;
    let mut answers = FuturesUnordered::new();
    let mut open: Vec<(Value, CancellationToken)> = Vec::new();
    loop {
        tokio::select! {
            // In this order: a report that came before the response is forwarded before it.
            biased;
            Some(event) = queue.recv() => match event {
                CallEvent::Progress(report) => forward_progress(&report, context).await,
                CallEvent::Log(message) => forward_log(message, context).await,
                CallEvent::Request(request) if answers.len() < REQUESTS_MAX => {
                    // Not awaited here: a person may answer late, and other messages go on
                    // meanwhile.
                    let canceled = CancellationToken::new();
                    open.push((request.id.clone(), canceled.clone()));
                    answers.push(canceled.run_until_cancelled_owned(answer(
                        connection, context, request, asked,
                    )));
                }
                // No answer follows (MCP, cancellation).
                CallEvent::RequestCanceled(id) => open
                    .iter()
                    .filter(|(asked, _)| *asked == id)
                    .for_each(|(_, canceled)| canceled.cancel()),
                CallEvent::Request(request) => connection.respond(request.id, Err(client_requests::too_many())),
            },
            Some(_) = answers.next() => {}
            response = sent.response() => {
                let memory = sent.take_memory();
                // The memory of a large answer is in use until a transport has written the answer.
                if !memory.is_empty() {
                    context.hold_until_answered(memory);
                }
                return response;
            }
            // Dropping the request cancels it at the upstream, too.
            () = context.cancellation().cancelled() => return Err(RequestError::Canceled),
        }
    }
}

async fn answer(
    connection: &Connection,
    context: &CallContext,
    request: UpstreamRequest,
    asked: Questions<'_>,
) {
    let UpstreamRequest {
        id,
        method,
        mut params,
    } = request;
    let checked = asked
        .budget
        .take(&method)
        .and_then(|()| questions::prepare(asked.server, &method, &mut params));
    let outcome = match checked {
        Ok(()) => client_requests::ask(context, &method, params).await,
        Err(refused) => Err(refused),
    };
    connection.respond(id, outcome);
}

async fn forward_progress(report: &JsonObject, context: &CallContext) {
    let message = report
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // Progress must increase, so a report without a number is left out.
    if let Some(done) = number(report, "progress") {
        context
            .progress(done, number(report, "total"), message)
            .await;
    }
}

/// Reads a number, which some servers write as a text.
fn number(report: &JsonObject, key: &str) -> Option<f64> {
    let number = match report.get(key)? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.filter(|number: &f64| number.is_finite())
}

async fn forward_log(message: JsonObject, context: &CallContext) {
    let is_read = LogLevel::from_call(context).is_some_and(|level| level.reads(&message));
    if let Some(peer) = context.peer().filter(|_| is_read) {
        client_requests::notify(peer, "notifications/message", message).await;
    }
}
