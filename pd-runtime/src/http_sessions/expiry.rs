//! The end of idle sessions.

use super::session_map::SessionMap;
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// The bounds of the interval between two sweeps. The interval is an eighth of the idle time, so a
/// session outlives its idle time by an eighth at most, within these bounds.
const OFTEN: Duration = Duration::from_millis(20);
const SELDOM: Duration = Duration::from_secs(60);

/// Starts the sweep that ends idle sessions, once per table. It stops when the table is dropped.
pub(super) fn watch(table: &Arc<SessionMap>, idle: Duration) {
    // Started with the first session, not with the table: a table may be built outside of a tokio
    // runtime.
    table
        .watched
        .call_once(|| drop(tokio::spawn(end_idle(Arc::downgrade(table), idle))));
}

async fn end_idle(table: Weak<SessionMap>, idle: Duration) {
    let pause = (idle / 8).clamp(OFTEN, SELDOM);
    loop {
        tokio::time::sleep(pause).await;
        // A weak reference, so that this task does not keep the table of a stopped server alive.
        let Some(table) = table.upgrade() else { return };
        let expired = table.remove_idle(idle);
        if !expired.is_empty() {
            tracing::debug!(sessions = expired.len(), "idle sessions end");
        }
        expired.iter().for_each(|session| session.end());
    }
}
