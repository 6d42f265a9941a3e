//! The end of sessions that nobody uses.

use super::session_map::Table;
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

/// How often idle sessions are looked for, beside an eighth of the time that they may be idle.
const OFTEN: Duration = Duration::from_millis(20);
const SELDOM: Duration = Duration::from_secs(60);

/// Ends sessions that have been idle for so long, from the first one on, while there is a table.
pub(super) fn watch(table: &Arc<Table>, idle: Duration) {
    table.watched.call_once(|| drop(tokio::spawn(end_idle(Arc::downgrade(table), idle))));
}

async fn end_idle(table: Weak<Table>, idle: Duration) {
    let pause = (idle / 8).clamp(OFTEN, SELDOM);
    loop {
        tokio::time::sleep(pause).await;
        let Some(table) = table.upgrade() else { return };
        let expired = table.remove_idle(idle);
        if !expired.is_empty() {
            tracing::debug!(sessions = expired.len(), "idle sessions end");
        }
        expired.iter().for_each(|session| session.end());
    }
}
