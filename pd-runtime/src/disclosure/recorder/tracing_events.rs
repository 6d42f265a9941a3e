//! Events as `tracing` has them. A limit that was reached is of level `info`, all that is part of a
//! usual session of level `debug`.

use crate::telemetry::audit::{Event, What};
use tracing::{Level, debug, enabled, info};

const TARGET: &str = "pd_runtime::audit";

/// How much somebody must want to know to be told.
pub(super) fn level(what: &What<'_>) -> Level {
    match what {
        What::Limited { .. } => Level::INFO,
        What::Listed { .. }
        | What::Found { .. }
        | What::Missed { .. }
        | What::Described { .. }
        | What::Refused { .. }
        | What::Called { .. } => Level::DEBUG,
    }
}

/// Whether somebody wants to know so much.
pub(super) fn is_heard(level: Level) -> bool {
    match level {
        Level::INFO => enabled!(target: TARGET, Level::INFO),
        _ => enabled!(target: TARGET, Level::DEBUG),
    }
}

pub(super) fn write(event: &Event<'_>) {
    let Event { era, wire, principal, session, .. } = event;
    match &event.what {
        What::Listed { tools } => {
            debug!(target: TARGET, tools = tools.len(), ?era, wire, principal, session, "listed");
        }
        What::Found { tools, query } => {
            let first = tools.first().map(|tool| tool.name);
            debug!(target: TARGET, tools = tools.len(), first, query, ?era, wire, principal, session, "found");
        }
        What::Missed { by, text } => {
            debug!(target: TARGET, ?by, text, ?era, wire, principal, session, "missed");
        }
        What::Described { tool } => {
            debug!(target: TARGET, tool = tool.name, tokens = tool.tokens, ?era, wire, principal, session, "described");
        }
        What::Refused { tool, reason } => {
            debug!(target: TARGET, tool = tool.name, reason, ?era, wire, principal, session, "refused");
        }
        What::Called { tool, outcome, duration, .. } => {
            let outcome = outcome.word();
            debug!(target: TARGET, tool = tool.name, outcome, ?duration, ?era, wire, principal, session, "called");
        }
        What::Limited { limit } => {
            info!(target: TARGET, limit, ?era, wire, principal, session, "limited");
        }
    }
}
