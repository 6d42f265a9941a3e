//! One line of an audit log, with the members that are counted.

use serde::Deserialize;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One event. Unknown members from other versions are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AuditRecord {
    pub(super) event: String,
    pub(super) wire: String,
    pub(super) tool: String,
    pub(super) tools: Vec<AuditToolName>,
    pub(super) by: String,
    pub(super) reason: String,
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
    /// Returns a key for the conversation of the event: the session, otherwise the trace, otherwise
    /// the principal.
    pub(super) fn conversation(&self) -> Option<u64> {
        let known = (self.session, &self.trace_id, &self.principal);
        let key = match known {
            // The number keeps equal values of different kinds apart.
            (Some(session), ..) => hash(&(0, session)),
            (_, Some(trace), _) => hash(&(1, trace)),
            (.., Some(principal)) => hash(&(2, principal)),
            _ => return None,
        };
        Some(key)
    }
}

// The keys are compared within one run only, so the hasher needs no stable output.
fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
