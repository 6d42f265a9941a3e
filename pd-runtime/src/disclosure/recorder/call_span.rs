//! An admitted call, from its admission to its end.

use super::{Seen, contract, redact::told};
use crate::{
    catalog::entry::Entry,
    telemetry::audit::{Ended, What},
    tool::output::Outcome,
};

use rmcp::model::{CallToolResponse, JsonObject};
use std::time::Instant;
use tracing::Level;

/// A call under way. A call that is dropped before it ended was abandoned.
#[derive(Debug)]
pub(crate) struct Calling<'a>(Option<Heard<'a>>);

/// What is kept where somebody listens.
#[derive(Debug)]
struct Heard<'a> {
    seen: Seen<'a>,
    entry: &'a Entry,
    begun: Instant,
    arguments: Option<JsonObject>,
    ended: Ended,
}

impl<'a> Seen<'a> {
    /// A call of this tool was admitted.
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
        let wants_arguments = self.0.is_some_and(|sighting| sighting.observer.listeners.detail.arguments);
        let arguments = wants_arguments.then(|| told(arguments, &entry.tool.about.input.schema));
        Calling(Some(Heard { seen: *self, entry, begun: Instant::now(), arguments, ended: Ended::Abandoned }))
    }
}

impl Calling<'_> {
    /// Its arguments do not fit, so it was not run.
    pub(crate) fn was_invalid(mut self) {
        if let Some(heard) = &mut self.0 {
            heard.ended = Ended::Invalid;
        }
    }

    /// The tool has answered.
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
    fn drop(&mut self) {
        let Some(Heard { seen, entry, begun, arguments, ended }) = &self.0 else { return };
        if let Some(metrics) = seen.metrics() {
            metrics.call_under_way(false);
        }
        let (duration, arguments) = (begun.elapsed(), arguments.as_ref());
        seen.raise(&What::Called { tool: contract(entry), outcome: *ended, duration, arguments });
    }
}
