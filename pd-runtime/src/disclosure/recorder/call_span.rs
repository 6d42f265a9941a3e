//! The recording of an admitted call, from its admission to its end.

use super::{RequestRecorder, redact::redact_arguments, tool_ref};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::gate::{GateVerdict, UndisclosedReason},
    telemetry::audit::{AuditEventKind, CallOutcome},
    tool::output::ToolResult,
};

use rmcp::model::{CallToolResponse, JsonObject};
use std::time::Instant;
use tracing::Level;

/// A call in flight. A call that is dropped before its end was abandoned.
#[derive(Debug)]
pub(crate) struct CallSpan<'a>(Option<ObservedCall<'a>>);

/// The data of a call that at least one listener takes.
#[derive(Debug)]
struct ObservedCall<'a> {
    recorder: RequestRecorder<'a>,
    entry: &'a CatalogEntry,
    begun: Instant,
    arguments: Option<JsonObject>,
    undisclosed: Option<UndisclosedReason>,
    from_text: bool,
    ended: CallOutcome,
}

impl<'a> RequestRecorder<'a> {
    /// Starts recording a call of this tool that the gate has admitted.
    pub(crate) fn start_call(
        &self,
        entry: &'a CatalogEntry,
        arguments: &JsonObject,
        verdict: GateVerdict,
    ) -> CallSpan<'a> {
        self.set_tool(entry);
        if !self.is_recorded(Level::DEBUG) {
            return CallSpan(None);
        }
        if let Some(metrics) = self.metrics() {
            metrics.call_under_way(true);
        }
        // Copied now, because the call consumes the arguments. Most servers do not record them.
        let wants_arguments = self
            .0
            .is_some_and(|sighting| sighting.observer.listeners.detail.arguments);
        let arguments =
            wants_arguments.then(|| redact_arguments(arguments, &entry.tool.about.input.schema));
        CallSpan(Some(ObservedCall {
            recorder: *self,
            entry,
            begun: Instant::now(),
            arguments,
            undisclosed: verdict.undisclosed(),
            from_text: false,
            ended: CallOutcome::Abandoned,
        }))
    }
}

impl CallSpan<'_> {
    /// Records that arguments were read from texts that hold their JSON.
    pub(crate) fn mark_from_text(&mut self) {
        if let Some(call) = &mut self.0 {
            call.from_text = true;
        }
    }

    /// Records that the arguments do not fit, so the tool did not run.
    pub(crate) fn finish_invalid(mut self) {
        if let Some(call) = &mut self.0 {
            call.ended = CallOutcome::Invalid;
        }
    }

    /// Records the tool's outcome. `is_cancelled` says that the client no longer waits.
    pub(crate) fn finish(mut self, outcome: &ToolResult, is_cancelled: bool) {
        if let Some(call) = &mut self.0 {
            call.ended = match outcome {
                Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true) => {
                    CallOutcome::Done
                }
                // A tool that observes the cancellation ends with an error. It has not failed.
                Err(_) | Ok(CallToolResponse::Complete(_)) if is_cancelled => {
                    CallOutcome::Abandoned
                }
                Err(_) | Ok(CallToolResponse::Complete(_)) => CallOutcome::Failed,
                // The client is asked for input, and continues the call with another request.
                Ok(_) => CallOutcome::Continues,
            };
        }
    }
}

impl Drop for CallSpan<'_> {
    // Sent from `drop`, so that a canceled call is recorded, too: its future is dropped when the
    // client cancels it or leaves.
    fn drop(&mut self) {
        let Some(ObservedCall {
            recorder,
            entry,
            begun,
            arguments,
            undisclosed,
            from_text,
            ended,
        }) = &self.0
        else {
            return;
        };
        if let Some(metrics) = recorder.metrics() {
            metrics.call_under_way(false);
        }
        let tool = tool_ref(entry);
        let outcome = *ended;
        let duration = begun.elapsed();
        let undisclosed = undisclosed.map(UndisclosedReason::as_str);
        let from_text = *from_text;
        let arguments = arguments.as_ref();
        recorder.emit(&AuditEventKind::Called {
            tool,
            outcome,
            duration,
            undisclosed,
            from_text,
            arguments,
        });
    }
}
