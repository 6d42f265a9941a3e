//! What an event says. As JSON, it is one flat object whose `event` names what happened.

use super::time;
use rmcp::model::JsonObject;
use serde::Serialize;
use std::time::{Duration, SystemTime};

/// One thing that happened.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Event<'a> {
    /// When; in JSON by RFC 3339, in UTC, to the millisecond.
    #[serde(serialize_with = "time::rfc_3339")]
    pub time: SystemTime,
    /// What.
    #[serde(flatten)]
    pub what: What<'a>,
    /// The MCP lifecycle of the request.
    pub era: Era,
    /// The way by which it came: the request's MCP method, or for a meta-tool the name that it has by default, whatever it is
    /// offered as. One of few, known beforehand.
    pub wire: &'static str,
    /// Who asked: a pseudonym (`p-` and 16 hexadecimal digits), or the subject where [`Detail::subjects`](super::Detail::subjects)
    /// says so. `None` where the transport knows nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<&'a str>,
    /// A number for the session, where there is one. It is not the session's id, and opens nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// The W3C trace that the request belongs to, in 32 hexadecimal digits, where the client told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<&'a str>,
}

/// What happened.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum What<'a> {
    /// Tools were listed by name, with a line about each or more.
    Listed {
        /// In the order of the list.
        tools: &'a [Shown<'a>],
    },
    /// A search found tools.
    Found {
        /// Best first.
        tools: &'a [Shown<'a>],
        /// What was searched for, where [`Detail::queries`](super::Detail::queries) says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        query: Option<&'a str>,
    },
    /// A search found nothing, or a name was asked for that is of no tool. A tool that the caller may not see is of that kind.
    Missed {
        /// Which of both.
        by: Missed,
        /// The query or name, where [`Detail::queries`](super::Detail::queries) says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
    },
    /// A tool was disclosed: its contract was given to the caller.
    Described {
        /// The tool.
        #[serde(flatten)]
        tool: Shown<'a>,
    },
    /// A call was not run. Where the refusal carries the description, an event of that follows.
    Refused {
        /// The tool.
        #[serde(flatten)]
        tool: Contract<'a>,
        /// `not_disclosed`, `outdated` (the description has changed since it was read), `bad_ticket`, `foreign_session` or
        /// `unavailable`.
        reason: &'static str,
    },
    /// A call was admitted, and has ended.
    Called {
        /// The tool.
        #[serde(flatten)]
        tool: Contract<'a>,
        /// How it ended.
        outcome: Ended,
        /// How long it took; in JSON in `seconds`.
        #[serde(rename = "seconds", serialize_with = "time::seconds")]
        duration: Duration,
        /// What it was called with, where [`Detail::arguments`](super::Detail::arguments) says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<&'a JsonObject>,
    },
    /// A limit was reached.
    Limited {
        /// Which.
        limit: &'static str,
    },
}

/// A tool that was shown.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Shown<'a> {
    /// Its name.
    #[serde(rename = "tool")]
    pub name: &'a str,
    /// Its contract's digest: `sha256:…`.
    pub digest: &'a str,
    /// About how many tokens of the answer are about it, by [`estimate_tokens`](crate::estimate_tokens); 0 where only its name
    /// was told.
    pub tokens: u32,
}

/// A tool that was called, or was to be.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Contract<'a> {
    /// Its name.
    #[serde(rename = "tool")]
    pub name: &'a str,
    /// Its contract's digest: `sha256:…`.
    pub digest: &'a str,
}

/// What was asked for and is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missed {
    /// A search.
    Query,
    /// A name.
    Name,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// With a result.
    Done,
    /// With an error of the tool's own.
    Failed,
    /// Before it ran: its arguments do not fit the schema.
    Invalid,
    /// For now: it asks for input, or goes on as a task.
    Continues,
    /// Unheard: nobody waits for the answer any more.
    Abandoned,
}

impl Ended {
    /// As JSON and metrics have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::Continues => "continues",
            Self::Abandoned => "abandoned",
        }
    }
}

/// Which MCP lifecycle a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Era {
    /// `initialize` opened a session (up to 2025-11-25).
    Session,
    /// Each request carries its own metadata (2026-07-28).
    Inline,
    /// An older client on a server that keeps no sessions.
    LegacyStateless,
}
