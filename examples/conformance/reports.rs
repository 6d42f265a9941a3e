//! Tools that report while they run: log messages and progress.

#![expect(
    deprecated,
    reason = "MCP 2026-07-28 deprecates logging, and the suite still tests it"
)]

use pd_runtime::{
    prelude::*,
    rmcp::model::{LoggingLevel, LoggingMessageNotificationParam},
};
use serde_json::json;
use std::{
    sync::Arc,
    sync::atomic::{AtomicU8, Ordering},
    time::Duration,
};
use tokio::time::sleep;

/// Between two reports, so that a client sees them arrive apart.
const STEP: Duration = Duration::from_millis(50);

/// The least level that clients with sessions want to be told of: one for all of them, since all share the handler
/// that hears it. Later clients say it with each request.
#[derive(Debug, Clone)]
pub(crate) struct Log(Arc<AtomicU8>);

impl Default for Log {
    fn default() -> Self {
        Self(Arc::new(AtomicU8::new(LoggingLevel::Debug as u8)))
    }
}

impl Log {
    /// Tells nothing below this level from now on.
    pub(crate) fn set_least(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Tells the client, where it wants to know.
    async fn info(&self, text: &str, call: &CallContext) {
        let Some(request) = call.request() else {
            return;
        };
        let least = match request.meta.protocol_version() {
            Some(_) => request.meta.log_level().map(|level| level as u8),
            None => Some(self.0.load(Ordering::Relaxed)),
        };
        if least.is_some_and(|least| least <= LoggingLevel::Info as u8) {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text))
                .with_logger("conformance");
            // A client that went away needs no log.
            let _ = request.peer.notify_logging_message(message).await;
        }
    }
}

/// Three messages at level `info`.
#[pd_tool(summary = "Log while running", eager)]
pub(crate) async fn test_tool_with_logging(log: &Log, call: &CallContext) -> &'static str {
    log.info("Tool execution started", call).await;
    sleep(STEP).await;
    log.info("Tool processing data", call).await;
    sleep(STEP).await;
    log.info("Tool execution completed", call).await;
    "Logged three messages."
}

/// One message at level `info`, for clients that ask for it.
#[pd_tool(summary = "Log one message", eager)]
pub(crate) async fn test_logging_tool(log: &Log, call: &CallContext) -> &'static str {
    log.info("The tool runs", call).await;
    "Logged one message, if it was wanted."
}

/// From 0 to 100, in three reports.
#[pd_tool(summary = "Report progress", eager)]
pub(crate) async fn test_tool_with_progress(call: &CallContext) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        call.progress(done, Some(100.0), format!("{done} of 100"))
            .await;
        sleep(STEP).await;
    }
    "Reported progress."
}

/// Takes a moment, in which a client may lose its stream and come back for the rest (SEP-1699).
#[pd_tool(summary = "Take long enough to reconnect", eager)]
pub(crate) async fn test_reconnection() -> &'static str {
    sleep(4 * STEP).await;
    "Still here."
}
