//! Errors of the agent's side. An error that a tool itself reports is not among them: it is a
//! result with `isError`.

use rmcp::{model::CallToolResponse, service::ServiceError};
use std::time::Duration;

/// The method of the model's calls.
const CALL: &str = "tools/call";

/// An error of a [`Client`](super::Client).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The request failed, or the server answered it with a JSON-RPC error.
    #[error("the request failed: {0}")]
    Service(#[from] ServiceError),
    /// The server did not answer within the limit, and the client canceled the request. A tool may
    /// have done its work, or part of it.
    #[error("no answer to `{request}` within {limit:?}; `ClientBuilder::{}` sets the limit", limit_setter(.request))]
    Timeout {
        /// The method of the request.
        request: String,
        /// The time that the client waited.
        limit: Duration,
    },
    /// No server of this client has such a tool.
    #[error("no such tool: `{name}`{}", render_suggestions(.nearest))]
    UnknownTool {
        /// The requested name.
        name: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// The arguments are not a JSON object. Tools without arguments take an empty object.
    #[error("the arguments of `{name}` must be a JSON object")]
    NotAnObject {
        /// The name of the tool.
        name: String,
    },
    /// The tool requested input or became a task. [`Client::call_once`](super::Client::call_once)
    /// returns such answers.
    #[error(
        "`{name}` did not return a result; call it with `call_once` and handle its request or task"
    )]
    Unfinished {
        /// The name of the tool.
        name: String,
        /// The server's answer.
        response: Box<CallToolResponse>,
    },
    /// The server's answer does not follow the protocol.
    #[error("cannot parse the server's answer to {request}: {reason}")]
    Unreadable {
        /// The request that was answered.
        request: &'static str,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The name of a server is not valid or not unique. Names consist of ASCII letters, digits, `-`
    /// and single `_`.
    #[error(
        "not a valid or unique server name: `{0}`; use ASCII letters, digits, `-` and single `_`"
    )]
    ServerName(String),
    /// The handle in a call has no rows: it was used, has expired, or belongs to another owner.
    #[error(
        "unknown `resource_url`: its rows were used, have expired, or belong to another conversation; call the tool that \
         returned it again"
    )]
    UnknownHandle,
    /// Another call is using the rows of this handle.
    #[error("another call is using the rows of this `resource_url`; wait for its result")]
    HandleInUse,
    /// The call does not name rows of the handle by their numbers.
    #[error(
        "`abstract_data` must be a JSON array of rows, each with its `_row_id`, as the result contained them: {0}"
    )]
    AbstractData(String),
    /// The block or item is not a call that this client can answer.
    #[error(
        "not a tool call: `{0}` is missing or not valid; pass the block or item as the provider sent it"
    )]
    NotACall(&'static str),
}

fn render_suggestions(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; similar: {}", nearest.join(", "))
    }
}

fn limit_setter(request: &str) -> &'static str {
    if request == CALL {
        "call_timeout"
    } else {
        "request_timeout"
    }
}

impl ClientError {
    /// Returns whether the model that made the call can correct it.
    fn is_correctable(&self) -> bool {
        use ClientError as E;
        matches!(
            self,
            E::UnknownTool { .. }
                | E::NotAnObject { .. }
                | E::UnknownHandle
                | E::HandleInUse
                | E::AbstractData(_)
        )
    }

    /// Returns the text for the model that made the call, if the model can correct the call or act
    /// on the error.
    pub(super) fn for_model(&self) -> Option<String> {
        match self {
            // Only a timeout of the call itself is for the model. It cannot act on any other
            // timeout.
            Self::Timeout { request, limit } if request == CALL => Some(format!(
                "the tool did not answer within {limit:?}, and the call was canceled; it may have done part of its work: \
                 check before you call it again, or ask it for less"
            )),
            error => error.is_correctable().then(|| error.to_string()),
        }
    }

    pub(super) fn unreadable(request: &'static str, reason: impl ToString) -> Self {
        Self::Unreadable {
            request,
            reason: reason.to_string(),
        }
    }
}
