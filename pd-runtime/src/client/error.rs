//! What can go wrong on the agent's side. What a tool reports of itself is no error here, but a result with `isError`.

use rmcp::{model::CallToolResponse, service::ServiceError};
use std::time::Duration;

/// The method of the model's calls.
const CALL: &str = "tools/call";

/// Why a client could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The request did not come back, or came back as a JSON-RPC error.
    #[error("the server did not answer as asked: {0}")]
    Service(#[from] ServiceError),
    /// The server did not answer within the limit, and the client canceled the request. A tool may have done its work, or
    /// part of it.
    #[error("no answer to `{request}` within {limit:?}; `ClientBuilder::{}` sets the limit", limit_setter(.request))]
    Timeout {
        /// The request's method.
        request: String,
        /// How long the client waited.
        limit: Duration,
    },
    /// No server of this client has such a tool.
    #[error("no tool is called `{name}`{}", render_suggestions(.nearest))]
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// Names that come near.
        nearest: Vec<String>,
    },
    /// Arguments are always an object, even where a tool takes none.
    #[error("the arguments of `{name}` must be a JSON object")]
    NotAnObject {
        /// The tool.
        name: String,
    },
    /// The tool asks for input, or became a task. [`Client::call_once`](super::Client::call_once) hands such answers over.
    #[error("`{name}` did not end in a result; call it with `call_once` and drive what it asks for")]
    Unfinished {
        /// The tool.
        name: String,
        /// What it answered instead.
        response: Box<CallToolResponse>,
    },
    /// An answer is not what its wire promises.
    #[error("the server's answer to {asked} cannot be read: {why}")]
    Unreadable {
        /// What was asked.
        asked: &'static str,
        /// What is wrong with the answer.
        why: String,
    },
    /// Servers of one client need names of their own, of ASCII letters, digits, `-` and single `_`.
    #[error(
        "a server cannot be called `{0}`; give each a name of its own, of ASCII letters, digits, `-` and single `_`"
    )]
    ServerName(String),
    /// The call names rows by a handle that gives none: it was used, has expired, or belongs to another.
    #[error(
        "nothing is kept under this `resource_url`: its rows were handed over already, have expired, or are not of this \
         conversation; call the tool that gave it again"
    )]
    UnknownHandle,
    /// The call names rows by a handle that another call is using.
    #[error("another call has the rows of this `resource_url`; wait for its answer")]
    HandleInUse,
    /// The call does not tell which rows of a handle it means.
    #[error(
        "`abstract_data` must be a JSON array of the rows to hand over, each with its `_row_id`, as they were shown: {0}"
    )]
    AbstractData(String),
    /// It is no call that this client knows how to answer.
    #[error("this is no call of a tool: {0}; hand over the block or item as the provider sent it")]
    NotACall(&'static str),
}

fn render_suggestions(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; the nearest: {}", nearest.join(", ")) }
}

fn limit_setter(request: &str) -> &'static str {
    if request == CALL { "call_timeout" } else { "request_timeout" }
}

impl ClientError {
    /// Whether the model that made the call can make a better one.
    fn is_correctable(&self) -> bool {
        use ClientError as E;
        matches!(
            self,
            E::UnknownTool { .. } | E::NotAnObject { .. } | E::UnknownHandle | E::HandleInUse | E::AbstractData(_)
        )
    }

    /// The text for the model that made the call, where the model can make a better one.
    pub(super) fn for_model(&self) -> Option<String> {
        match self {
            Self::Timeout { request, limit } if request == CALL => Some(format!(
                "the tool did not answer within {limit:?}, and the call was canceled; it may have done part of its work: \
                 check before you call it again, or ask it for less"
            )),
            error => error.is_correctable().then(|| error.to_string()),
        }
    }

    pub(super) fn unreadable(asked: &'static str, why: impl ToString) -> Self {
        Self::Unreadable { asked, why: why.to_string() }
    }
}
