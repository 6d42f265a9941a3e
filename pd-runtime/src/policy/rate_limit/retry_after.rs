//! A refusal that time mends, on every wire.

use super::Kind;
use crate::tool::error::ToolError;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode},
};
use serde_json::{Value, json};
use std::{fmt, time::Duration};

/// HTTP's 429: MCP has no code for it, and leaves what stands outside -32768 to -32000 to applications (2026-07-28, basic,
/// error codes).
const TOO_MANY_REQUESTS: ErrorCode = ErrorCode(429);

/// Why not now, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TryLater {
    code: &'static str,
    message: String,
    /// In whole seconds, at least 1.
    pub(crate) retry_after: u64,
}

impl TryLater {
    pub(super) fn rate_limited(kind: Kind, wait: Duration) -> Self {
        let (what, then) = match kind {
            Kind::Call => ("calls", "call again"),
            Kind::Find => ("searches", "search again"),
            Kind::Describe => ("descriptions", "ask for those that you need"),
            #[cfg(feature = "http")]
            Kind::Open => ("calls and sessions", "open the session again"),
        };
        let retry_after = rounded_up(wait);
        let message = format!("too many {what} in a short time; wait {}, then {then}", in_seconds(retry_after));
        Self { code: ToolError::RATE_LIMITED, message, retry_after }
    }

    /// So many run already, and none of them ended in time.
    pub(super) fn busy(running: usize) -> Self {
        let message = format!("{running} such calls are running, as many as may; wait a little, then call again");
        Self { code: ToolError::BUSY, message, retry_after: 1 }
    }

    /// As a result that the model reads.
    pub(crate) fn into_result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.to_string())])
    }

    fn told(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "retry_after": self.retry_after } })
    }
}

/// As the JSON that a model reads.
impl fmt::Display for TryLater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.told().fmt(f)
    }
}

impl From<TryLater> for ErrorData {
    fn from(later: TryLater) -> Self {
        Self::new(TOO_MANY_REQUESTS, later.message, Some(json!({ "retryAfter": later.retry_after })))
    }
}

/// For a sentence.
pub(crate) fn in_seconds(seconds: u64) -> String {
    if seconds == 1 { "1 second".to_owned() } else { format!("{seconds} seconds") }
}

/// Whole seconds, at least 1, that are no shorter than `wait`.
pub(super) fn rounded_up(wait: Duration) -> u64 {
    let more = u64::from(wait.subsec_nanos() > 0);
    (wait.as_secs() + more).max(1)
}
