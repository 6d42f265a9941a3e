//! An answer that is soon there leaves in one write. In a session rmcp begins each with an event of its own, which tells
//! where to go on if the connection breaks; written by itself, it costs as much as the answer. What it begins an answer of
//! 2026-07-28 with waits as briefly.

use super::response_body::Content;
use crate::http_sessions::Response;

use axum::body::Bytes;
use futures::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, BodyStream, StreamBody, combinators::BoxBody};
use hyper::body::Frame;
use std::{convert::Infallible, time::Duration};

/// For how long the beginning of a stream may wait for its end.
const SOON: Duration = Duration::from_millis(2);
/// How much may wait.
const MOST: usize = 64 * 1024;

/// The same response, in one piece if all of it is there soon.
pub(super) async fn settled(response: Response) -> http::Response<Content> {
    if response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != "text/event-stream") {
        return response.map(Content::Inside);
    }
    let (head, mut body) = response.into_parts();
    let mut begun = Vec::new();
    let has_ended = tokio::time::timeout(SOON, gather(&mut body, &mut begun)).await.unwrap_or(false);
    let begun = Bytes::from(begun);
    http::Response::from_parts(head, if has_ended { Content::whole(begun) } else { Content::Inside(rest(begun, body)) })
}

/// Reads on until the end, or until there is enough; says whether it was the end.
async fn gather(body: &mut BoxBody<Bytes, Infallible>, begun: &mut Vec<u8>) -> bool {
    while begun.len() < MOST {
        let Some(Ok(frame)) = body.frame().await else { return true };
        begun.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
    }
    false
}

fn rest(begun: Bytes, body: BoxBody<Bytes, Infallible>) -> BoxBody<Bytes, Infallible> {
    let begun = stream::iter([Ok(Frame::data(begun))]);
    BoxBody::new(StreamBody::new(begun.chain(BodyStream::new(body))))
}
