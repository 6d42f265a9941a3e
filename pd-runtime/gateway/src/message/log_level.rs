//! The levels of log messages (RFC 5424), from the most verbose.

use pd_runtime::{CallContext, upstream::ClientSession};
use serde_json::Value;

/// The key in `_meta` with which a client of 2026-07-28 asks for log messages.
pub(crate) const META_KEY: &str = "io.modelcontextprotocol/logLevel";

const NAMES: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The level of a log message, or the lowest one that a client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogLevel(u8);

impl LogLevel {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let rank = NAMES.iter().position(|known| *known == name)?;
        u8::try_from(rank).ok().map(Self)
    }

    pub(crate) fn as_str(self) -> &'static str {
        NAMES
            .get(usize::from(self.0))
            .copied()
            .unwrap_or("emergency")
    }

    /// Returns the level from which the client of a call reads messages; `None` if it reads none.
    pub(crate) fn from_call(context: &CallContext) -> Option<Self> {
        let of_request = context
            .request()
            .and_then(|request| request.meta.get(META_KEY)?.as_str());
        of_request
            .and_then(Self::parse)
            // Before 2026-07-28, `logging/setLevel` sets one level for the session.
            .or_else(|| Self::from_session(context.client_session()?))
    }

    pub(crate) fn from_session(session: &ClientSession) -> Option<Self> {
        session.log_level().map(Self)
    }

    /// Sets the level of a session.
    pub(crate) fn set(self, session: &ClientSession) {
        session.set_log_level(self.0);
    }

    /// Returns whether a client with this level reads a message.
    pub(crate) fn reads(self, message: &rmcp::model::JsonObject) -> bool {
        let level = message
            .get("level")
            .and_then(Value::as_str)
            .and_then(Self::parse);
        level.is_none_or(|level| level >= self)
    }
}
