//! One request: its span, by OpenTelemetry's semantic conventions for MCP, and its duration.

use super::{EventRecorder, trace_context::TraceParent};
use crate::telemetry::metrics::Metrics;
use rmcp::{
    ErrorData, RoleServer, model::ErrorCode, model::NumberOrString, service::RequestContext,
};
use std::{pin::Pin, time::Instant};
use tracing::{Instrument, Level, Span, enabled, field::Empty, info_span};

const TARGET: &str = "pd_runtime::request";

/// The most bytes of a client's text in a span.
const TEXT_MAX: usize = 64;

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    method: &'static str,
    /// The surface by which the request came; see
    /// [`Event::surface`](crate::telemetry::audit::Event::surface).
    pub(super) surface: &'static str,
    span: Span,
    trace: Option<TraceParent>,
    counted: Option<(Metrics, Instant)>,
}

impl RequestSpan {
    /// Starts recording a request of this method. The names are constants of the server, never a
    /// client's text.
    pub(crate) fn new(
        method: &'static str,
        surface: &'static str,
        context: &RequestContext<RoleServer>,
        observer: &EventRecorder,
    ) -> Self {
        // Without a subscriber, the trace context is not even parsed.
        let has_span = enabled!(target: TARGET, Level::INFO);
        let wants_trace = has_span || observer.listeners.audit.is_some();
        let trace = wants_trace
            .then(|| TraceParent::from_request(context))
            .flatten();
        let span = if has_span {
            span(method, context, trace.as_ref())
        } else {
            Span::none()
        };
        let counted = observer
            .listeners
            .metrics
            .clone()
            .map(|metrics| (metrics, Instant::now()));
        Self {
            method,
            surface,
            span,
            trace,
            counted,
        }
    }

    /// Runs the answer inside the request's span, and records its outcome and duration.
    ///
    /// # Errors
    ///
    /// Returns the errors of `answer`.
    pub(crate) async fn answer<T>(
        &self,
        // Pinned, because moving the future of a call costs as much as the gate.
        answer: Pin<&mut (impl Future<Output = Result<T, ErrorData>> + Send)>,
        failed: impl Fn(&T) -> bool,
    ) -> Result<T, ErrorData> {
        // `instrument` enters and exits the span at each poll, even if it is disabled.
        let outcome = if self.span.is_none() {
            answer.await
        } else {
            answer.instrument(self.span.clone()).await
        };
        self.record_outcome(match &outcome {
            Err(error) => code(error.code),
            // The value that the conventions prescribe for results with `isError`.
            Ok(answer) if failed(answer) => "tool_error",
            Ok(_) => "",
        });
        outcome
    }

    fn record_outcome(&self, error: &'static str) {
        if !error.is_empty() {
            self.span
                .record("error.type", error)
                .record("otel.status_code", "ERROR");
            // Codes are negative numbers; `tool_error` and `_OTHER` are not codes of JSON-RPC.
            if error.starts_with('-') {
                self.span.record("rpc.response.status_code", error);
            }
        }
        if let Some((metrics, begun)) = &self.counted {
            metrics.record_request(self.method, error, begun.elapsed());
        }
    }

    /// Records the tool that the request concerns. The tool must exist for the caller.
    pub(crate) fn set_tool(&self, tool: &str) {
        if !self.span.is_disabled() {
            self.span
                .record("gen_ai.tool.name", tool)
                .record("otel.name", format!("{} {tool}", self.method));
        }
    }

    pub(super) fn trace_id(&self) -> Option<&str> {
        self.trace.as_ref().map(TraceParent::trace_id)
    }
}

fn span(
    method: &'static str,
    context: &RequestContext<RoleServer>,
    trace: Option<&TraceParent>,
) -> Span {
    let version = context.protocol_version();
    let id = match &context.id {
        NumberOrString::Number(number) => number.to_string(),
        NumberOrString::String(text) => text.to_string(),
    };
    let is_http = context.extensions.get::<http::request::Parts>().is_some();
    let span = info_span!(
        target: TARGET,
        "request",
        otel.name = method,
        otel.kind = "server",
        otel.status_code = Empty,
        mcp.method.name = method,
        mcp.protocol.version = version.as_ref().map(|version| version.as_str()).and_then(short),
        jsonrpc.request.id = short(&id),
        network.transport = if is_http { "tcp" } else { "pipe" },
        gen_ai.operation.name = (method == "tools/call").then_some("execute_tool"),
        gen_ai.tool.name = Empty,
        error.type = Empty,
        rpc.response.status_code = Empty,
        trace_id = trace.map(TraceParent::trace_id),
        parent_span_id = trace.map(TraceParent::parent_id),
    );
    #[cfg(feature = "otel")]
    if let Some(trace) = trace {
        super::otel::adopt(&span, trace, context);
    }
    span
}

fn short(text: &str) -> Option<&str> {
    // A client chooses its ids and version, so a long one is left out.
    (text.len() <= TEXT_MAX).then_some(text)
}

/// Returns an error's code as a label. Only codes of MCP have one, because the author's own handler
/// may send any code, and each label is a time series.
fn code(code: ErrorCode) -> &'static str {
    match code.0 {
        -32700 => "-32700",
        -32603 => "-32603",
        -32602 => "-32602",
        -32601 => "-32601",
        -32600 => "-32600",
        -32022 => "-32022",
        -32021 => "-32021",
        -32020 => "-32020",
        -32002 => "-32002",
        _ => "_OTHER",
    }
}
