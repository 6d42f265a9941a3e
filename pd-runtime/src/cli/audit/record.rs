//! A line of the file, as far as it is counted.

use serde::Deserialize;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One event. Keys that other versions write are passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AuditRecord {
    pub(super) event: String,
    pub(super) wire: String,
    pub(super) tool: String,
    pub(super) tools: Vec<AuditToolName>,
    pub(super) by: String,
    pub(super) outcome: String,
    pub(super) count: usize,
    session: Option<u64>,
    trace_id: Option<String>,
    principal: Option<String>,
}

/// A tool in a list.
#[derive(Debug, Deserialize)]
pub(super) struct AuditToolName {
    pub(super) tool: String,
}

impl AuditRecord {
    /// The conversation it belongs to, as near as can be told: the session, or the trace, or all that one principal does.
    pub(super) fn conversation(&self) -> Option<u64> {
        let known = (self.session, &self.trace_id, &self.principal);
        let key = match known {
            (Some(session), ..) => hash(&(0, session)),
            (_, Some(trace), _) => hash(&(1, trace)),
            (.., Some(principal)) => hash(&(2, principal)),
            _ => return None,
        };
        Some(key)
    }
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
