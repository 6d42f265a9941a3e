//! The state of a server, as models and persons read it.

use crate::{failure::failure_text::FailureText, upstream::Upstream};
use pd_runtime::upstream::CallerAuthority;
use std::time::{Duration, Instant};

/// The state of one server of a gateway. Other states can be added.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// It is not running. A call starts it.
    Idle,
    /// It was started, and its lists are not read yet.
    Starting {
        /// The time since the start.
        since: Duration,
    },
    /// It answers.
    Running,
    /// A person must log in.
    NeedsLogin {
        /// Why, with the command.
        reason: String,
    },
    /// Its entry is not started before its owner has approved it.
    AwaitsApproval,
    /// It does not start, or ended at once.
    Failed {
        /// The reason.
        reason: String,
        /// The time until the next start. Zero if the next call starts it.
        retry_in: Duration,
    },
}

/// For whom a state is rendered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StateReader<'a> {
    /// A person on the gateway's machine, who reads all of it.
    Operator,
    /// A model. What a server wrote is for the gateway's owner only, and one line.
    Caller(&'a CallerAuthority),
}

impl StateReader<'_> {
    fn render(self, failure: &FailureText) -> String {
        match self {
            Self::Operator => failure.whole(),
            Self::Caller(CallerAuthority::Owner) => failure.for_owner(),
            Self::Caller(CallerAuthority::Remote(_)) => failure.to_string(),
        }
    }
}

impl ServerState {
    /// Renders a sentence about the server for a caller.
    pub(crate) fn sentence(&self, server: &str, caller: &CallerAuthority) -> String {
        let is_owner = *caller == CallerAuthority::Owner;
        match self {
            Self::Idle => format!("`{server}` has not started yet; try again"),
            Self::Starting { since } => {
                format!(
                    "`{server}` is starting, {} s so far; try again in a moment",
                    since.as_secs()
                )
            }
            Self::Running => format!("`{server}` is running"),
            Self::NeedsLogin { .. } if !is_owner => {
                format!("`{server}` needs a login, which the owner of this gateway makes")
            }
            // The reason has the command between backticks (`oauth/command.rs`).
            Self::NeedsLogin { reason } => match reason
                .split('`')
                .find(|part| part.starts_with("pd-gateway "))
            {
                Some(command) => {
                    format!("`{server}` needs a login: ask the user to run `{command}`")
                }
                None => format!("`{server}` needs a login: {reason}"),
            },
            Self::AwaitsApproval if !is_owner => {
                format!(
                    "`{server}` is not started before the owner of this gateway has approved it"
                )
            }
            Self::AwaitsApproval => format!(
                "`{server}` is not started, because its entry waits for approval: ask the user to run `pd-gateway \
                 approve {server}`"
            ),
            Self::Failed { reason, retry_in } if retry_in.is_zero() => {
                format!("`{server}` failed: {reason}")
            }
            Self::Failed { reason, retry_in } => {
                // Rounded up, so that a caller that waits for so long does not come too early.
                format!(
                    "`{server}` failed: {reason}; next try in {} s",
                    retry_in.as_secs() + 1
                )
            }
        }
    }

    /// Returns whether waiting may help: the server starts, or can be started now.
    pub(crate) fn may_answer_soon(&self) -> bool {
        match self {
            Self::Idle | Self::Starting { .. } | Self::Running => true,
            Self::Failed { retry_in, .. } => retry_in.is_zero(),
            Self::NeedsLogin { .. } | Self::AwaitsApproval => false,
        }
    }
}

impl Upstream {
    /// Returns the state of the connection of the gateway's owner, which also reads the lists.
    pub(crate) fn state(&self, reader: StateReader<'_>) -> ServerState {
        if self.awaits_approval() {
            return ServerState::AwaitsApproval;
        }
        let health = self.health();
        let is_running = self.is_running();
        let has_lists = self.lists().is_some();
        // Before the failures, because a start in progress is newer than they are.
        if let Some(since) = health.starting {
            return ServerState::Starting {
                since: elapsed(since),
            };
        }
        if is_running && has_lists {
            return ServerState::Running;
        }
        if health.needs_login.is_some() {
            let reason = health
                .last_error
                .as_ref()
                .map(|error| reader.render(error))
                .unwrap_or_default();
            return ServerState::NeedsLogin { reason };
        }
        match health.last_error.as_ref() {
            Some(error) if !health.pause().is_zero() || !has_lists => ServerState::Failed {
                reason: reader.render(error),
                retry_in: health.pause(),
            },
            // It answered the handshake, and its lists are being read.
            _ if is_running => ServerState::Starting {
                since: health.started.map(elapsed).unwrap_or_default(),
            },
            _ => ServerState::Idle,
        }
    }
}

fn elapsed(since: Instant) -> Duration {
    since.elapsed()
}
