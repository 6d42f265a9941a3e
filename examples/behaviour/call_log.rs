//! The calls that reached a tool, as the server's audit events report them. A call through
//! `call_tool`, and arguments that the server repaired, are there as the tool got them.

use pd_runtime::audit::{Audit, AuditEventKind, CallOutcome, Event};
use rmcp::model::JsonObject;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};

/// One call that the server admitted.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ToolCall {
    pub(crate) tool: String,
    pub(crate) arguments: JsonObject,
    pub(crate) outcome: CallOutcome,
}

/// The calls since they were last taken.
#[derive(Debug, Default)]
pub(crate) struct CallLog(Mutex<Vec<ToolCall>>);

impl CallLog {
    /// Removes and returns the calls.
    pub(crate) fn take(&self) -> Vec<ToolCall> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Audit for CallLog {
    fn record(&self, event: &Event<'_>) {
        if let AuditEventKind::Called {
            tool,
            outcome,
            arguments,
            ..
        } = &event.kind
        {
            let (tool, arguments) = (tool.name.to_owned(), arguments.cloned().unwrap_or_default());
            let call = ToolCall {
                tool,
                arguments,
                outcome: *outcome,
            };
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(call);
        }
    }
}
