//! The recording of an admitted call, from its admission to its end.

use super::{Seen, contract, redact::told};
use crate::{
    catalog::entry::Entry,
    telemetry::audit::{Ended, What},
    tool::output::Outcome,
};

use rmcp::model::{CallToolResponse, JsonObject};
use std::time::Instant;
use tracing::Level;

/// A call in flight. A call that is dropped before its end was abandoned.
#[derive(Debug)]
pub(crate) struct Calling<'a>(Option<Heard<'a>>);

/// The data of a call that at least one listener takes.
#[derive(Debug)]
struct Heard<'a> {
    seen: Seen<'a>,
    entry: &'a Entry,
    begun: Instant,
    arguments: Option<JsonObject>,
    ended: Ended,
}

impl<'a> Seen<'a> {
    /// Starts recording an admitted call of this tool.
    pub(crate) fn calling(&self, entry: &'a Entry, arguments: &JsonObject) -> Calling<'a> {
        if let Some(sighting) = self.0 {
            sighting.request.concerns(entry.name());
        }
        if !self.is_heard(Level::DEBUG) {
            return Calling(None);
        }
        if let Some(metrics) = self.metrics() {
            metrics.call_under_way(true);
        }
        // Copied now, because the call consumes the arguments. Most servers do not record them.
        let wants_arguments = self.0.is_some_and(|sighting| sighting.observer.listeners.detail.arguments);
        let arguments = wants_arguments.then(|| told(arguments, &entry.tool.about.input.schema));
        Calling(Some(Heard { seen: *self, entry, begun: Instant::now(), arguments, ended: Ended::Abandoned }))
    }
}

impl Calling<'_> {
    /// Records that the arguments do not fit, so the tool did not run.
    pub(crate) fn was_invalid(mut self) {
        if let Some(heard) = &mut self.0 {
            heard.ended = Ended::Invalid;
        }
    }

    /// Records the tool's outcome.
    pub(crate) fn was_run(mut self, outcome: &Outcome) {
        if let Some(heard) = &mut self.0 {
            heard.ended = match outcome {
                Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => Ended::Failed,
                Ok(CallToolResponse::Complete(_)) => Ended::Done,
                Ok(_) => Ended::Continues,
                Err(_) => Ended::Failed,
            };
        }
    }
}

impl Drop for Calling<'_> {
    // Sent from `drop`, so that a call whose future is dropped, because the client canceled it or
    // left, is recorded too.
    fn drop(&mut self) {
        let Some(Heard { seen, entry, begun, arguments, ended }) = &self.0 else { return };
        if let Some(metrics) = seen.metrics() {
            metrics.call_under_way(false);
        }
        let (duration, arguments) = (begun.elapsed(), arguments.as_ref());
        seen.raise(&What::Called { tool: contract(entry), outcome: *ended, duration, arguments });
    }
}
