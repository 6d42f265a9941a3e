//! Events without data, which let a client resume a stream before its first message (SEP-1699).
//! Clients of versions before 2025-11-25 read the data of each event as JSON, and end the
//! connection at an empty one.

use super::caller;
use futures::{
    Stream,
    future::ready,
    stream::{StreamExt, iter, poll_fn},
};
use rmcp::{
    model::ProtocolVersion,
    transport::streamable_http_server::session::{ServerSseMessage, local::SessionConfig},
};
use tokio::sync::mpsc::Receiver;

/// Returns whether the client of this request expects events without data.
fn are_expected() -> bool {
    caller::version() >= ProtocolVersion::V_2025_11_25
}

/// Returns the events that a session sends on one stream, without those that this client could not
/// read.
pub(super) fn strip(
    mut events: Receiver<ServerSseMessage>,
) -> impl Stream<Item = ServerSseMessage> + Send + Sync {
    let are_expected = are_expected();
    poll_fn(move |context| events.poll_recv(context))
        .filter(move |event| ready(are_expected || event.message.is_some()))
}

/// Returns the event that begins a stream for notifications, if this client expects one.
pub(super) fn standing_event() -> impl Stream<Item = ServerSseMessage> + Send + Sync {
    // The id with which rmcp begins such streams.
    iter(are_expected().then(|| ServerSseMessage::priming("0", SessionConfig::DEFAULT_SSE_RETRY)))
}
