//! Bodies of responses, whole or as events. Both are bounded.

use super::super::stdio::LINE_MAX;
use futures::{Stream, StreamExt};
use reqwest::{Response, header::CONTENT_TYPE};
use sse_stream::{Sse, SseStream};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Returns the events of a body. One event must not exceed the limit of a line.
pub(super) fn events(
    body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin,
) -> impl Stream<Item = io::Result<Sse>> + Unpin {
    // The bytes since the last event.
    let unread = Arc::new(AtomicUsize::new(0));
    let counter = unread.clone();
    let counted = body.map(move |part| {
        let part = part?;
        if counter.fetch_add(part.len(), Ordering::Relaxed) + part.len() > LINE_MAX {
            return Err(io::Error::other(format!("an event is over {} MiB", LINE_MAX / 1024 / 1024)));
        }
        Ok(part)
    });
    SseStream::from_bytes_stream(counted).map(move |event| {
        unread.store(0, Ordering::Relaxed);
        event.map_err(|error| io::Error::other(error.to_string()))
    })
}

/// Returns a whole body.
pub(super) async fn collect(mut body: impl Stream<Item = io::Result<bytes::Bytes>> + Unpin) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part?;
        if bytes.len() + part.len() > LINE_MAX {
            return Err(io::Error::other(format!("its response is over {} MiB", LINE_MAX / 1024 / 1024)));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

pub(super) fn content_type(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
