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
    if response
        .headers()
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind != "text/event-stream")
    {
        return response.map(ResponseBody::FromRmcp);
    }
    let (head, mut body) = response.into_parts();
    let mut prefix = Prefix::default();
    let has_ended = tokio::time::timeout(SOON, gather(&mut body, &mut prefix))
        .await
        .unwrap_or(false);
    let begun = Bytes::from(prefix.bytes);
    http::Response::from_parts(
        head,
        match (has_ended, prefix.large) {
            // The length is known now, so hyper sends the answer without chunks.
            (true, None) => ResponseBody::whole(begun),
            (_, large) => ResponseBody::FromRmcp(rest(begun, large, body)),
        },
    )
}

/// What was read of a stream.
#[derive(Default)]
struct Prefix {
    bytes: Vec<u8>,
    /// A part over the size limit, which is not copied.
    large: Option<Bytes>,
}

/// Reads until the end or the size limit. Returns whether it reached the end.
async fn gather(body: &mut BoxBody<Bytes, Infallible>, prefix: &mut Prefix) -> bool {
    while prefix.bytes.len() < MOST {
        let Some(Ok(frame)) = body.frame().await else {
            return true;
        };
        // Written to a value of the caller's: when the timeout drops this future, what was read
        // is not lost.
        match frame.into_data() {
            Ok(data) if data.len() > MOST => {
                prefix.large = Some(data);
                return false;
            }
            Ok(data) => prefix.bytes.extend_from_slice(&data),
            // Trailers belong to no event.
            Err(_) => {}
        }
    }
    false
}

fn rest(
    prefix: Bytes,
    large: Option<Bytes>,
    body: BoxBody<Bytes, Infallible>,
) -> BoxBody<Bytes, Infallible> {
    let parts = [Some(prefix).filter(|prefix| !prefix.is_empty()), large]
        .into_iter()
        .flatten();
    let prefix = stream::iter(parts.map(|part| Ok(Frame::data(part))).collect::<Vec<_>>());
    BoxBody::new(StreamBody::new(prefix.chain(BodyStream::new(body))))
}
