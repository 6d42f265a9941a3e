//! The events in the form of `tracing`. A reached limit has level `info`; events of a usual session
//! have level `debug`.

use crate::telemetry::audit::{AuditEventKind, Event};
use tracing::{Level, debug, enabled, info};

const TARGET: &str = "pd_runtime::audit";

/// Returns the level of an event.
pub(super) fn level(what: &AuditEventKind<'_>) -> Level {
    match what {
        AuditEventKind::Limited { .. } => Level::INFO,
        AuditEventKind::Listed { .. }
        | AuditEventKind::Found { .. }
        | AuditEventKind::Missed { .. }
        | AuditEventKind::Described { .. }
        | AuditEventKind::Refused { .. }
        | AuditEventKind::Called { .. }
        | AuditEventKind::Ran { .. } => Level::DEBUG,
    }
}

/// Returns whether a subscriber takes events of this level.
pub(super) fn is_enabled(level: Level) -> bool {
    // `enabled!` needs a constant level, so the levels in use are listed.
    match level {
        Level::INFO => enabled!(target: TARGET, Level::INFO),
        _ => enabled!(target: TARGET, Level::DEBUG),
    }
}

/// Writes an event to `tracing`.
pub(super) fn write(event: &Event<'_>) {
    let Event {
        era,
        surface: wire,
        principal,
        session,
        run,
        ..
    } = event;
    match &event.kind {
        AuditEventKind::Listed { tools } => {
            debug!(target: TARGET, tools = tools.len(), ?era, wire, principal, session, "listed");
        }
        AuditEventKind::Found { tools, query } => {
            let first = tools.first().map(|tool| tool.name);
            debug!(target: TARGET, tools = tools.len(), first, query, ?era, wire, principal, session, "found");
        }
        AuditEventKind::Missed { by, text } => {
            debug!(target: TARGET, ?by, text, ?era, wire, principal, session, "missed");
        }
        AuditEventKind::Described { tool } => {
            debug!(target: TARGET, tool = tool.name, tokens = tool.tokens, ?era, wire, principal, session, "described");
        }
        AuditEventKind::Refused { tool, reason } => {
            debug!(target: TARGET, tool = tool.name, reason, ?era, wire, principal, session, "refused");
        }
        AuditEventKind::Called {
            tool,
            outcome,
            duration,
            undisclosed,
            ..
        } => {
            let outcome = outcome.as_str();
            debug!(
                target: TARGET,
                tool = tool.name, outcome, ?duration, undisclosed, ?era, wire, principal, session, run, "called"
            );
        }
        AuditEventKind::Ran {
            outcome,
            duration,
            calls,
        } => {
            let outcome = outcome.as_str();
            debug!(target: TARGET, outcome, ?duration, calls, ?era, wire, principal, session, run, "ran");
        }
        AuditEventKind::Limited { limit } => {
            info!(target: TARGET, limit, ?era, wire, principal, session, "limited");
        }
    }
}
