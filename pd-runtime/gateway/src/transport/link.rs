//! The transport below a connection: it sends messages, and delivers those that arrive.

use super::request_error::{RequestError, SessionRefusal};
use crate::{
    failure::{failure_text::FailureText, token_error::TokenError},
    message::{
        self,
        wire::{MessageReservation, ReceivedMessage, UnreadableMessage},
    },
};
use serde_json::Value;
use tokio::sync::mpsc;

/// The stream that a message came in, which says what it can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageStream {
    /// A stream of all messages.
    Shared,
    /// The response to the request with this id.
    Request(u64),
    /// The response to a notification or to an answer of the gateway. Neither has an answer.
    Notification,
}

impl MessageStream {
    /// Returns the response to a message over HTTP. `request` is its id if it is a request.
    pub(crate) fn from_post(request: Option<u64>) -> Self {
        request.map_or(Self::Notification, Self::Request)
    }

    /// Returns the request with the response that this stream is.
    pub(crate) const fn request(self) -> Option<u64> {
        match self {
            Self::Request(id) => Some(id),
            Self::Shared | Self::Notification => None,
        }
    }
}

/// An event of a transport.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    Message {
        value: Value,
        stream: MessageStream,
        /// Whether the message is the whole of a response over HTTP.
        is_whole: bool,
        /// The memory that a large message takes.
        memory: MessageReservation,
    },
    /// A message was not parsed.
    Unreadable {
        message: UnreadableMessage,
        /// The same as in `Message`.
        stream: MessageStream,
        is_whole: bool,
    },
    /// The transport cannot deliver the response to the request with this id or, without an id, to
    /// any request that is open now.
    Lost {
        id: Option<u64>,
        reason: FailureText,
    },
    /// The request with this id or, without an id, each one that is open now did not run: there is
    /// no access token that the upstream takes.
    Unauthorized { id: Option<u64>, error: TokenError },
    /// The request with this id did not run: the upstream has refused it.
    NotRun {
        id: Option<u64>,
        reason: FailureText,
    },
    /// The request with this id did not run: the upstream cannot be reached.
    Unreachable {
        id: Option<u64>,
        reason: FailureText,
    },
    /// The upstream ended the transport before the response to the request with this id.
    Interrupted {
        id: Option<u64>,
        reason: FailureText,
    },
    /// The upstream no longer knows the session. The request with this id met with that. Without a
    /// refusal, it did not run (HTTP 404). Other requests that are open get separate answers.
    SessionEnded {
        id: Option<u64>,
        refusal: Option<SessionRefusal>,
    },
    /// A process has ended by itself, and without an error.
    Exited { reason: FailureText },
    /// The transport has ended.
    Closed { reason: FailureText },
}

impl LinkEvent {
    /// Returns whether the event is the response to this request, or cannot be read.
    pub(crate) fn answers(&self, request: Option<u64>) -> bool {
        match self {
            Self::Message { value, .. } => message::response_id(value) == request,
            _ => true,
        }
    }

    /// Returns the event of a message that has arrived, if it is one.
    pub(crate) fn from_message(message: ReceivedMessage, stream: MessageStream) -> Option<Self> {
        match message {
            ReceivedMessage::Empty => None,
            // A line or an event is never the whole answer, because others may follow it.
            ReceivedMessage::Json(value, memory) => Some(Self::Message {
                value,
                stream,
                is_whole: false,
                memory,
            }),
            ReceivedMessage::Unreadable(message) => Some(Self::Unreadable {
                message,
                stream,
                is_whole: false,
            }),
        }
    }
}

pub(crate) type LinkEvents = mpsc::Sender<LinkEvent>;

/// The names and values of headers that repeat arguments of a message.
pub(crate) type ParamHeaders = Vec<(String, String)>;

/// The sending side of a transport.
pub(crate) trait Link: Send + Sync {
    /// Sends a message without waiting.
    ///
    /// # Errors
    ///
    /// Returns an error if the upstream does not take messages.
    fn send(&self, message: Value) -> Result<(), RequestError>;

    /// Sends a message that repeats arguments in headers, where the transport has headers.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Link::send`].
    fn send_with_headers(
        &self,
        message: Value,
        _headers: ParamHeaders,
    ) -> Result<(), RequestError> {
        self.send(message)
    }

    /// Gives up the response to this request. With `notify`, the upstream learns of it.
    fn cancel(&self, id: u64, notify: bool);

    /// Sets what the handshake has negotiated.
    fn negotiated(&self, version: &str);

    /// Returns what a person should know of the lists.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Begins to end the transport: a process gets time to exit on its own.
    fn close(&self);
}
