//! The content of an event. In JSON an event is one flat object. Its member `event` is the kind.

use super::time;
use rmcp::model::JsonObject;
use serde::Serialize;
use std::time::{Duration, SystemTime};

/// One audit event.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The time of the event. In JSON it follows RFC 3339, in UTC, with milliseconds.
    #[serde(serialize_with = "time::rfc_3339")]
    pub time: SystemTime,
    /// The kind of the event, with its data.
    #[serde(flatten)]
    pub kind: AuditEventKind<'a>,
    /// The MCP lifecycle of the request.
    pub era: Era,
    /// The surface of the request: its MCP method, or the default name of a meta-tool, even if the
    /// meta-tool has another name. The set of values is small and fixed.
    #[serde(rename = "wire")]
    pub surface: &'static str,
    /// The caller: a pseudonym (`p-` and 16 hexadecimal digits), or the subject if
    /// [`AuditDetail::subjects`](super::AuditDetail::subjects) is set. `None` if the transport does
    /// not know the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<&'a str>,
    /// A number for the session, if the request has one. It is not the session's id and grants no
    /// access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// A number for the run, if a program made the call (feature `code`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// The W3C trace id of the request, in 32 hexadecimal digits, if the client sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<&'a str>,
}

/// The kind of an event, with its data.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEventKind<'a> {
    /// The server listed tools by name, with a summary of each or more.
    Listed {
        /// The tools in the order of the list.
        tools: &'a [DisclosedTool<'a>],
    },
    /// A search returned tools.
    Found {
        /// The tools, best match first.
        tools: &'a [DisclosedTool<'a>],
        /// The query, if [`AuditDetail::queries`](super::AuditDetail::queries) is set.
        #[serde(skip_serializing_if = "Option::is_none")]
        query: Option<&'a str>,
    },
    /// A search returned nothing, or a caller used a name that it cannot see or that does not
    /// exist.
    Missed {
        /// Whether it was a query or a name.
        by: MissKind,
        /// The query or name, if [`AuditDetail::queries`](super::AuditDetail::queries) is set.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
    },
    /// A tool was disclosed: the caller received its contract.
    Described {
        /// The tool.
        #[serde(flatten)]
        tool: DisclosedTool<'a>,
    },
    /// A call was refused. If the refusal contains the description, an event `Described` follows.
    Refused {
        /// The tool.
        #[serde(flatten)]
        tool: ToolRef<'a>,
        /// `not_disclosed`, `outdated` (the description has changed since the caller read it),
        /// `bad_ticket`, `foreign_session`, `unavailable`, `held` (a change of the tool waits for a
        /// person's approval) or `not_read_only` (a program called it).
        reason: &'static str,
    },
    /// An admitted call has ended.
    Called {
        /// The tool.
        #[serde(flatten)]
        tool: ToolRef<'a>,
        /// The outcome of the call.
        outcome: CallOutcome,
        /// The duration of the call. In JSON it is the number `seconds`.
        #[serde(rename = "seconds", serialize_with = "time::seconds")]
        duration: Duration,
        /// The reason why the call ran although the caller had not read the description in its
        /// session: `advised` ([`GateMode::Advise`](crate::GateMode::Advise)), `session_per_call`
        /// or `repeated` ([`SessionPerCall::Admit`](crate::config::SessionPerCall::Admit)).
        #[serde(skip_serializing_if = "Option::is_none")]
        undisclosed: Option<&'static str>,
        /// Whether the caller sent an argument, or a value inside one, as a text that holds its
        /// JSON. The tool received the value itself. In JSON the member is absent if it is false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        from_text: bool,
        /// The arguments, if [`AuditDetail::arguments`](super::AuditDetail::arguments) is set.
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<&'a JsonObject>,
    },
    /// A program has ended (feature `code`). The events of its calls have the same `run`.
    Ran {
        /// The outcome: `done`, `failed` or `abandoned`.
        outcome: CallOutcome,
        /// The duration of the run. In JSON it is the number `seconds`.
        #[serde(rename = "seconds", serialize_with = "time::seconds")]
        duration: Duration,
        /// The number of calls, searches and descriptions.
        calls: usize,
    },
    /// A caller reached a limit.
    Limited {
        /// The name of the limit.
        limit: &'static str,
    },
}

/// A tool that a caller was shown.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct DisclosedTool<'a> {
    /// The tool's name.
    #[serde(rename = "tool")]
    pub name: &'a str,
    /// The digest of the tool's contract: `sha256:…`.
    pub digest: &'a str,
    /// The estimated tokens of the response that concern the tool, by
    /// [`estimate_tokens`](crate::estimate_tokens). It is 0 if the response contains only the name.
    pub tokens: u32,
}

/// The tool that a call names.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct ToolRef<'a> {
    /// The tool's name.
    #[serde(rename = "tool")]
    pub name: &'a str,
    /// The digest of the tool's contract: `sha256:…`.
    pub digest: &'a str,
}

/// The kind of request that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissKind {
    /// A search query.
    Query,
    /// A tool name.
    Name,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// The tool returned a result.
    Done,
    /// The tool returned an error.
    Failed,
    /// The call did not run, because its arguments do not fit the schema.
    Invalid,
    /// The call has not finished: it requires input, or continues as a task.
    Continues,
    /// The client no longer waits for the response.
    Abandoned,
}

impl CallOutcome {
    /// Returns the outcome as JSON and metrics contain it.
    pub fn as_str(self) -> &'static str {
        match self {
            // The words that serde writes. Labels of metrics must be `'static`.
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::Continues => "continues",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The MCP lifecycle that a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Era {
    /// A session that `initialize` opened (up to 2025-11-25).
    Session,
    /// A request that carries the metadata of the client (2026-07-28).
    Inline,
    /// A request of an older client to a server that keeps no sessions.
    LegacyStateless,
}
