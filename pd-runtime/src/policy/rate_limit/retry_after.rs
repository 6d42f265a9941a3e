//! Refusals that tell callers when to retry, for every surface.

use super::ChargeKind;
use crate::tool::error::ToolError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode},
};
use serde_json::{Value, json};
use std::{fmt, time::Duration};

/// The code of HTTP's status 429. MCP defines no code for rate limits, and leaves codes outside
/// -32768 to -32000 to applications (2026-07-28, basic, error codes).
const TOO_MANY_REQUESTS: ErrorCode = ErrorCode(429);

/// A refusal with the time to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TryLater {
    code: &'static str,
    message: String,
    /// The time to wait in whole seconds, at least 1.
    pub(crate) retry_after: u64,
}

impl TryLater {
    pub(super) fn rate_limited(kind: ChargeKind, wait: Duration) -> Self {
        let (what, then) = match kind {
            ChargeKind::Call => ("calls", "call again"),
            ChargeKind::Find => ("searches", "search again"),
            ChargeKind::Describe => ("descriptions", "ask for those that you need"),
            #[cfg(feature = "http")]
            ChargeKind::Open => ("calls and sessions", "open the session again"),
        };
        let retry_after = rounded_up(wait);
        let message = format!(
            "too many {what} in a short time; wait {}, then {then}",
            in_seconds(retry_after)
        );
        Self {
            code: ToolError::RATE_LIMITED,
            message,
            retry_after,
        }
    }

    /// Creates the refusal for a call that waited for a permit in vain. `running` is the limit.
    pub(super) fn busy(running: usize) -> Self {
        let message = format!(
            "{running} such calls are already running, the limit; wait a little, then call again"
        );
        // Calls may end at any time, so a longer wait would have no basis.
        Self {
            code: ToolError::BUSY,
            message,
            retry_after: 1,
        }
    }

    /// Converts the refusal to a tool result for the model.
    pub(crate) fn into_result(self) -> CallToolResult {
        // A result, because hosts hide JSON-RPC errors from their model.
        CallToolResult::error(vec![ContentBlock::text(self.to_string())])
    }

    fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "retry_after": self.retry_after } })
    }
}

/// Writes the JSON that a model reads.
impl fmt::Display for TryLater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

impl From<TryLater> for ErrorData {
    fn from(later: TryLater) -> Self {
        Self::new(
            TOO_MANY_REQUESTS,
            later.message,
            Some(json!({ "retryAfter": later.retry_after })),
        )
    }
}

/// Renders a number of seconds for a sentence.
pub(crate) fn in_seconds(seconds: u64) -> String {
    if seconds == 1 {
        "1 second".to_owned()
    } else {
        format!("{seconds} seconds")
    }
}

/// Rounds up to whole seconds, at least 1. `Retry-After` has no fractions, and rounding down would
/// make clients retry too early.
pub(super) fn rounded_up(wait: Duration) -> u64 {
    let more = u64::from(wait.subsec_nanos() > 0);
    (wait.as_secs() + more).max(1)
}
