//! The index of sessions by owner. It limits the number of sessions, and of marks of ended
//! sessions, that one owner has.
//!
//! An owner's key has two sorted sets of session keys: `{OWNER}:sessions`, sorted by last use, and
//! `{OWNER}:ended`, sorted by the time at which the session's id becomes invalid. Transactions
//! change both, so that replicas that open sessions at the same time do not exceed the limit.

use redis::Pipeline;
use std::time::Duration;

/// The owner of all sessions of unauthenticated callers.
const ANONYMOUS: &str = "nobody";
/// The number of marks of ended sessions that are kept of one principal, and of all unauthenticated
/// callers. Without its mark, an ended session can be opened again by its owner only, so the oldest
/// marks may be dropped.
const ENDED_MAX: usize = 10_000;
const ENDED_MAX_ANONYMOUS: usize = 100_000;

/// The largest numbers of sessions.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCaps {
    pub(super) per_principal: usize,
    pub(super) anonymous: usize,
}

impl Default for SessionCaps {
    fn default() -> Self {
        Self {
            per_principal: 256,
            anonymous: 20_000,
        }
    }
}

/// A session's key and its owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedSession<'a> {
    pub(super) key: &'a str,
    owner: Option<&'a str>,
}

impl<'a> OwnedSession<'a> {
    /// Parses the session name of
    /// [`HttpOptions::session_store`](crate::serve::HttpOptions::session_store).
    pub(super) fn parse(name: &'a str) -> Self {
        match name.split_once('.') {
            Some((key, owner)) => Self {
                key,
                owner: Some(owner),
            },
            None => Self {
                key: name,
                owner: None,
            },
        }
    }

    fn index_key(&self, prefix: &str, kind: &str) -> String {
        format!("{prefix}{{{}}}:{kind}", self.owner.unwrap_or(ANONYMOUS))
    }

    /// Adds the session to its owner's sessions. The answer contains the keys of the longest idle
    /// sessions, which it removes.
    pub(super) fn open(&self, prefix: &str, caps: SessionCaps, now: u64, idle: u64) -> Pipeline {
        let index = self.index_key(prefix, "sessions");
        let mut commands = redis::pipe();
        let cap = if self.owner.is_some() {
            caps.per_principal
        } else {
            caps.anonymous
        };
        let beyond = rank_beyond(cap);
        commands.atomic();
        // First, so that expired sessions do not push out others.
        commands
            .cmd("ZREMRANGEBYSCORE")
            .arg(&index)
            .arg("-inf")
            .arg(now.saturating_sub(idle))
            .ignore();
        commands
            .cmd("ZADD")
            .arg(&index)
            .arg(now)
            .arg(self.key)
            .ignore();
        // Read before they are removed, because the store deletes the entries of these sessions.
        commands.cmd("ZRANGE").arg(&index).arg(0).arg(beyond);
        commands
            .cmd("ZREMRANGEBYRANK")
            .arg(&index)
            .arg(0)
            .arg(beyond)
            .ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(idle).ignore();
        commands
    }

    /// Records a use of the session, and queries until when it is marked as ended.
    pub(super) fn touch_and_query_end(
        &self,
        commands: &mut Pipeline,
        prefix: &str,
        now: u64,
        idle: u64,
    ) {
        let index = self.index_key(prefix, "sessions");
        // `XX` only updates: a session that was removed from the index must not come back through a
        // late use.
        commands
            .cmd("ZADD")
            .arg(&index)
            .arg("XX")
            .arg(now)
            .arg(self.key)
            .ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(idle).ignore();
        commands
            .cmd("ZSCORE")
            .arg(self.index_key(prefix, "ended"))
            .arg(self.key);
    }

    /// Removes the session from its owner's sessions.
    pub(super) fn remove(&self, commands: &mut Pipeline, prefix: &str) {
        commands
            .cmd("ZREM")
            .arg(self.index_key(prefix, "sessions"))
            .arg(self.key)
            .ignore();
    }

    /// Marks the session as ended for the given time.
    pub(super) fn mark_ended(&self, prefix: &str, now: u64, life: Duration) -> Pipeline {
        let index = self.index_key(prefix, "ended");
        let mut commands = redis::pipe();
        let life = u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
        let cap = if self.owner.is_some() {
            ENDED_MAX
        } else {
            ENDED_MAX_ANONYMOUS
        };
        commands.atomic();
        commands
            .cmd("ZREMRANGEBYSCORE")
            .arg(&index)
            .arg("-inf")
            .arg(now)
            .ignore();
        commands
            .cmd("ZADD")
            .arg(&index)
            .arg(now.saturating_add(life))
            .arg(self.key)
            .ignore();
        commands
            .cmd("ZREMRANGEBYRANK")
            .arg(&index)
            .arg(0)
            .arg(rank_beyond(cap))
            .ignore();
        commands.cmd("PEXPIRE").arg(&index).arg(life).ignore();
        commands
    }
}

/// Returns the rank of the last member beyond the `cap` newest ones, counted from the end.
fn rank_beyond(cap: usize) -> i64 {
    -1 - i64::try_from(cap.max(1)).unwrap_or(i64::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_key_with_or_without_an_owner() {
        let owned = OwnedSession::parse("0a.0b");
        assert_eq!(
            (owned.key, owned.index_key("pd:", "sessions")),
            ("0a", "pd:{0b}:sessions".to_owned())
        );
        let anonymous = OwnedSession::parse("0a");
        assert_eq!(
            (anonymous.key, anonymous.index_key("pd:", "ended")),
            ("0a", "pd:{nobody}:ended".to_owned())
        );
        assert_eq!(
            (rank_beyond(256), rank_beyond(0), rank_beyond(usize::MAX)),
            (-257, -2, -i64::MAX)
        );
    }
}
