//! The index of sessions by their owner: it bounds how many sessions, and marks of ended sessions,
//! one owner has.
//!
//! Under an owner's key there are two sorted sets of session keys: `{OWNER}:sessions`, by when each
//! was last used, and `{OWNER}:ended`, by when the id of each becomes invalid. Both are changed by
//! transactions, so that replicas that open sessions at once do not pass the bound.

use redis::Pipeline;
use std::time::Duration;

/// The owner of all sessions whose callers nobody authenticated.
const ANONYMOUS: &str = "nobody";
/// How many marks of ended sessions are kept of one principal, and of all callers that nobody
/// authenticated. Without its mark, an ended session opens again for its owner, so the oldest marks
/// may go.
const ENDED_MAX: usize = 10_000;
const ENDED_MAX_ANONYMOUS: usize = 100_000;

/// How many sessions there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCaps {
    pub(super) per_principal: usize,
    pub(super) anonymous: usize,
}

impl Default for SessionCaps {
    fn default() -> Self {
        Self { per_principal: 256, anonymous: 20_000 }
    }
}

/// A session by its key, with its owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedSession<'a> {
    pub(super) key: &'a str,
    owner: Option<&'a str>,
}

impl<'a> OwnedSession<'a> {
    /// Reads what [`HttpOptions::session_store`](crate::serve::HttpOptions::session_store) calls a
    /// session.
    pub(super) fn parse(name: &'a str) -> Self {
        match name.split_once('.') {
            Some((key, owner)) => Self { key, owner: Some(owner) },
            None => Self { key: name, owner: None },
        }
    }

    fn index(&self, prefix: &str, kind: &str) -> String {
        format!("{prefix}{{{}}}:{kind}", self.owner.unwrap_or(ANONYMOUS))
    }

    /// Adds the session to its owner's. The answer is the keys of the longest idle sessions, which
    /// are no longer among them.
    pub(super) fn open(&self, prefix: &str, caps: SessionCaps, now: u64, idle: u64) -> Pipeline {
        let (index, mut commands) = (self.index(prefix, "sessions"), redis::pipe());
        let cap = if self.owner.is_some() { caps.per_principal } else { caps.anonymous };
        let beyond = rank_beyond(cap);
        commands.atomic();
        commands.cmd("ZREMRANGEBYSCORE").arg(&index).arg("-inf").arg(now.saturating_sub(idle)).ignore();
        commands.cmd("ZADD").arg(&index).arg(now).arg(self.key).ignore();
        commands.cmd("ZRANGE").arg(&index).arg(0).arg(beyond);
        commands.cmd("ZREMRANGEBYRANK").arg(&index).arg(0).arg(beyond).ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(idle).ignore();
        commands
    }

    /// Notes that the session is in use, and asks until when it counts as ended.
    pub(super) fn touch_and_query_end(&self, commands: &mut Pipeline, prefix: &str, now: u64, idle: u64) {
        let index = self.index(prefix, "sessions");
        commands.cmd("ZADD").arg(&index).arg("XX").arg(now).arg(self.key).ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(idle).ignore();
        commands.cmd("ZSCORE").arg(self.index(prefix, "ended")).arg(self.key);
    }

    /// Takes the session from its owner's.
    pub(super) fn remove(&self, commands: &mut Pipeline, prefix: &str) {
        commands.cmd("ZREM").arg(self.index(prefix, "sessions")).arg(self.key).ignore();
    }

    /// Marks the session as ended for so long.
    pub(super) fn mark_ended(&self, prefix: &str, now: u64, life: Duration) -> Pipeline {
        let (index, mut commands) = (self.index(prefix, "ended"), redis::pipe());
        let life = u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
        let cap = if self.owner.is_some() { ENDED_MAX } else { ENDED_MAX_ANONYMOUS };
        commands.atomic();
        commands.cmd("ZREMRANGEBYSCORE").arg(&index).arg("-inf").arg(now).ignore();
        commands.cmd("ZADD").arg(&index).arg(now.saturating_add(life)).arg(self.key).ignore();
        commands.cmd("ZREMRANGEBYRANK").arg(&index).arg(0).arg(rank_beyond(cap)).ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(life).ignore();
        commands
    }
}

/// The rank of the last member beyond so many, counted from the end.
fn rank_beyond(cap: usize) -> i64 {
    -1 - i64::try_from(cap.max(1)).unwrap_or(i64::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_key_with_or_without_an_owner() {
        let owned = OwnedSession::parse("0a.0b");
        assert_eq!((owned.key, owned.index("pd:", "sessions")), ("0a", "pd:{0b}:sessions".to_owned()));
        let anonymous = OwnedSession::parse("0a");
        assert_eq!((anonymous.key, anonymous.index("pd:", "ended")), ("0a", "pd:{nobody}:ended".to_owned()));
        assert_eq!((rank_beyond(256), rank_beyond(0), rank_beyond(usize::MAX)), (-257, -2, -i64::MAX));
    }
}
