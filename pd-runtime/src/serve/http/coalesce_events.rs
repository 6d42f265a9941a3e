//! Sends an answer that is ready soon in one write. rmcp begins the stream of each answer in a
//! session with an event that has the id for resuming; a separate write of it costs as much as the
//! answer. The first event of a streamed answer of 2026-07-28 waits for the same short time.

use super::response_body::ResponseBody;
use crate::http_sessions::BoxedResponse;

use axum::body::Bytes;
use futures::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, BodyStream, StreamBody, combinators::BoxBody};
use hyper::body::Frame;
use std::{convert::Infallible, time::Duration};

/// The time for which the beginning of a stream waits for its end.
const SOON: Duration = Duration::from_millis(2);
/// The size up to which a stream is held back.
const MOST: usize = 64 * 1024;

/// Returns the same response, as one part if it ends soon.
pub(super) async fn coalesced(response: BoxedResponse) -> http::Response<ResponseBody> {
    if response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != "text/event-stream") {
        return response.map(ResponseBody::FromRmcp);
    }
    let (head, mut body) = response.into_parts();
    let mut prefix = Vec::new();
    let has_ended = tokio::time::timeout(SOON, gather(&mut body, &mut prefix)).await.unwrap_or(false);
    let prefix = Bytes::from(prefix);
    http::Response::from_parts(
        head,
        if has_ended { ResponseBody::whole(prefix) } else { ResponseBody::FromRmcp(rest(prefix, body)) },
    )
}

/// Reads until the end or the size limit. Returns whether it reached the end.
async fn gather(body: &mut BoxBody<Bytes, Infallible>, prefix: &mut Vec<u8>) -> bool {
    while prefix.len() < MOST {
        let Some(Ok(frame)) = body.frame().await else { return true };
        // Appended to a vector of the caller's: when the timeout drops this future, what was read
        // is not lost.
        prefix.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
    }
    false
}

fn rest(prefix: Bytes, body: BoxBody<Bytes, Infallible>) -> BoxBody<Bytes, Infallible> {
    let prefix = stream::iter([Ok(Frame::data(prefix))]);
    BoxBody::new(StreamBody::new(prefix.chain(BodyStream::new(body))))
}
