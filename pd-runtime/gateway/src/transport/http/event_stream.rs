//! Bodies of responses, whole or as events. Both are bounded.

use super::transport_failure::causes;
use crate::message::wire::{MessageBounds, MessageBytes};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::{Response, header::CONTENT_TYPE};
use std::{io, time::Duration};

/// The longest name or id of an event that is read, in bytes. Longer ones are cut.
const FIELD_MAX: usize = 1_001;
/// The longest name of a field, in bytes.
const NAME_MAX: usize = 8;
/// The bytes of a refused response that are read.
const REFUSAL_MAX: usize = 1 << 20;

/// An event of a stream.
#[derive(Debug, Default)]
pub(super) struct StreamEvent {
    pub(super) name: Option<String>,
    pub(super) id: Option<String>,
    /// How long a client waits before it resumes the stream.
    pub(super) retry: Option<Duration>,
    pub(super) data: Option<MessageBytes>,
}

/// Reads the events of a body.
///
/// A data field is kept up to the bound of a message, and a longer one is read to its end. So it
/// costs its own call, and not the stream. A line or an event without an end ends the stream.
#[derive(Debug)]
pub(super) struct EventReader<S> {
    body: S,
    part: Bytes,
    line: EventLine,
    event: StreamEvent,
    is_after_cr: bool,
    /// The bytes of the line that is read.
    line_bytes: usize,
    is_endless: bool,
}

/// The line that is read.
#[derive(Debug)]
enum EventLine {
    /// The name of its field is not complete.
    Name(Vec<u8>),
    Data {
        is_first: bool,
    },
    Text {
        field: TextField,
        text: Vec<u8>,
        is_first: bool,
    },
    Ignored,
}

/// A field that is read as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextField {
    Name,
    Id,
    Retry,
}

impl Default for EventLine {
    fn default() -> Self {
        Self::Name(Vec::new())
    }
}

impl EventLine {
    fn text(field: TextField) -> Self {
        Self::Text {
            field,
            text: Vec::new(),
            is_first: true,
        }
    }
}

impl<S: Stream<Item = io::Result<Bytes>> + Unpin> EventReader<S> {
    pub(super) fn new(body: S) -> Self {
        Self {
            body,
            part: Bytes::new(),
            line: EventLine::default(),
            event: StreamEvent::default(),
            is_after_cr: false,
            line_bytes: 0,
            is_endless: false,
        }
    }

    /// Reads the next event. Returns `None` at the end of the body. After a line or an event
    /// without an end, returns what was read of the event, and then an error.
    pub(super) async fn next(&mut self, bounds: &MessageBounds) -> Option<io::Result<StreamEvent>> {
        loop {
            if self.is_endless {
                let event = std::mem::take(&mut self.event);
                return Some(match event.data {
                    Some(_) => Ok(event),
                    None => Err(bounds.endless("a line or an event")),
                });
            }
            if self.part.is_empty() {
                let more = match &mut self.event.data {
                    Some(data) => data.wait(self.body.next()).await,
                    None => self.body.next().await,
                };
                match more {
                    Some(Ok(part)) => self.part = part,
                    Some(Err(error)) => return Some(Err(error)),
                    // Some servers leave the empty line out after their last event.
                    None => return self.last(bounds).await.map(Ok),
                }
                continue;
            }
            // CR, LF, and CR LF each end a line (HTML, "Parsing an event stream"). A part of the
            // body can end between the two.
            if std::mem::take(&mut self.is_after_cr) && self.part.first() == Some(&b'\n') {
                drop(self.part.split_to(1));
                continue;
            }
            let end = self
                .part
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'));
            let text = self.part.split_to(end.unwrap_or(self.part.len()));
            self.take(&text, bounds).await;
            self.line_bytes += text.len();
            let data = self.event.data.as_ref().map_or(0, MessageBytes::arrived);
            self.is_endless = self.line_bytes.max(data) > bounds.endless_bytes();
            if end.is_some() {
                self.line_bytes = 0;
                self.is_after_cr = self.part.split_to(1).first() == Some(&b'\r');
                if let Some(event) = self.end_line(bounds).await {
                    return Some(Ok(event));
                }
            }
        }
    }

    async fn last(&mut self, bounds: &MessageBounds) -> Option<StreamEvent> {
        let _ = self.end_line(bounds).await;
        let event = std::mem::take(&mut self.event);
        event.data.is_some().then_some(event)
    }

    /// Takes a part of a line.
    async fn take(&mut self, mut text: &[u8], bounds: &MessageBounds) {
        if let EventLine::Name(name) = &mut self.line {
            let colon = text.iter().position(|byte| *byte == b':');
            let (part, value) = text.split_at(colon.unwrap_or(text.len()));
            // One byte more than the longest name, which is `event` after a byte order mark, shows
            // that the field is not known.
            name.extend_from_slice(part.get(..=NAME_MAX).unwrap_or(part));
            if name.len() > NAME_MAX {
                self.line = EventLine::Ignored;
            } else if colon.is_some() {
                self.line = begin(name);
                text = value.get(1..).unwrap_or_default();
            }
        }
        match &mut self.line {
            EventLine::Data { is_first } => {
                let text = without_space(text, is_first);
                self.event
                    .data
                    .get_or_insert_default()
                    .push(text, bounds)
                    .await;
            }
            EventLine::Text {
                text: line,
                is_first,
                ..
            } => {
                let text = without_space(text, is_first);
                // The limit is one byte over the longest id that is remembered, so a cut id is not
                // taken for a whole one.
                let room = FIELD_MAX.saturating_sub(line.len());
                line.extend_from_slice(text.get(..room).unwrap_or(text));
            }
            EventLine::Name(_) | EventLine::Ignored => {}
        }
    }

    /// Ends a line. Returns the event if the line was empty.
    async fn end_line(&mut self, bounds: &MessageBounds) -> Option<StreamEvent> {
        match std::mem::take(&mut self.line) {
            EventLine::Name(name) if name.is_empty() => {
                let event = std::mem::take(&mut self.event);
                // An event with an id and no data counts: a stream can be resumed after it.
                let StreamEvent {
                    name,
                    id,
                    retry,
                    data,
                } = &event;
                let has_fields =
                    data.is_some() || id.is_some() || name.is_some() || retry.is_some();
                return has_fields.then_some(event);
            }
            // The lines of one event are joined. JSON has no line break within a text.
            EventLine::Data { .. } => {
                if let Some(data) = &mut self.event.data {
                    data.push(b"\n", bounds).await;
                }
            }
            EventLine::Text { field, text, .. } => {
                let text = String::from_utf8_lossy(&text).into_owned();
                match field {
                    TextField::Name => self.event.name = Some(text),
                    TextField::Id => self.event.id = Some(text),
                    // Anything but digits is ignored (HTML, "Interpreting an event stream").
                    TextField::Retry => {
                        self.event.retry = text.parse().ok().map(Duration::from_millis)
                    }
                }
            }
            EventLine::Name(_) | EventLine::Ignored => {}
        }
        None
    }
}

/// Begins the value of a field. A byte order mark may precede the first one.
fn begin(name: &[u8]) -> EventLine {
    match name.strip_prefix(b"\xef\xbb\xbf").unwrap_or(name) {
        b"data" => EventLine::Data { is_first: true },
        b"id" => EventLine::text(TextField::Id),
        b"event" => EventLine::text(TextField::Name),
        b"retry" => EventLine::text(TextField::Retry),
        // Also a comment, which begins with the colon (HTML, "Parsing an event stream").
        _ => EventLine::Ignored,
    }
}

/// Returns a part of a value, without the space that may follow the colon.
fn without_space<'a>(text: &'a [u8], is_first: &mut bool) -> &'a [u8] {
    if text.is_empty() || !std::mem::take(is_first) {
        return text;
    }
    text.strip_prefix(b" ").unwrap_or(text)
}

/// Reads a whole body as one message.
pub(super) async fn read_body(
    mut body: impl Stream<Item = io::Result<Bytes>> + Unpin,
    bounds: &MessageBounds,
) -> io::Result<MessageBytes> {
    let mut message = MessageBytes::default();
    while let Some(part) = message.wait(body.next()).await {
        message.push(&part?, bounds).await;
    }
    Ok(message)
}

/// Returns the body of a response that is an error. The rest of a long one is left out.
pub(super) async fn collect(
    mut body: impl Stream<Item = io::Result<Bytes>> + Unpin,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part?;
        let room = REFUSAL_MAX.saturating_sub(bytes.len());
        bytes.extend_from_slice(part.get(..room).unwrap_or(&part));
        if bytes.len() >= REFUSAL_MAX {
            break;
        }
    }
    Ok(bytes)
}

/// Returns the parts of a response's body. The error of reqwest for a connection that breaks speaks
/// of decoding.
pub(super) fn body_parts(response: Response) -> impl Stream<Item = io::Result<Bytes>> {
    response.bytes_stream().map(|part| {
        part.map_err(|error| {
            let causes = causes(&error);
            io::Error::other(format!("the connection broke within the response{causes}"))
        })
    })
}

pub(super) fn content_type(response: &Response) -> &str {
    response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::message::wire::ReceivedMessage;
    use futures::stream;

    async fn read(text: &'static [u8], part: usize) -> Vec<(String, String, String)> {
        let bounds = MessageBounds::new(None, Default::default());
        let parts = text.chunks(part).map(|part| Ok(Bytes::from_static(part)));
        let mut reader = EventReader::new(stream::iter(parts));
        let mut events = Vec::new();
        while let Some(event) = reader.next(&bounds).await {
            let StreamEvent {
                name,
                id,
                retry,
                data,
            } = event.unwrap();
            let retry = retry.map(|retry| format!("retry {retry:?}"));
            let text = data.map(|data| data.text()).unwrap_or_default();
            events.push((
                name.or(retry).unwrap_or_default(),
                id.unwrap_or_default(),
                text.trim_end().to_owned(),
            ));
        }
        events
    }

    #[tokio::test]
    async fn a_line_or_an_event_without_an_end_ends_its_stream() {
        let bounds = MessageBounds::new(Some(1_000), Default::default());
        for begin in [
            "data: {\"id\":7,\"result\":\"",
            "data: {\"id\":7,\"result\":\"\ndata:",
            ": ",
            "id: ",
        ] {
            let parts = stream::iter([Bytes::from_static(begin.as_bytes())])
                .chain(stream::repeat(Bytes::from(vec![b'x'; 1 << 20])));
            let mut read = 0;
            let body = parts.map(|part| {
                read += part.len();
                assert!(read <= bounds.endless_bytes() + (2 << 20), "{begin}");
                Ok(part)
            });
            let mut reader = EventReader::new(body);
            let mut next = reader.next(&bounds).await.unwrap();
            if let Ok(event) = next {
                let message = event.data.unwrap().finish(&bounds).await;
                assert!(
                    matches!(&message, ReceivedMessage::Unreadable(message) if message.scan.answered() == [7]),
                    "the call learns of it: {message:?}"
                );
                next = reader.next(&bounds).await.unwrap();
            }
            let error = next.unwrap_err();
            assert_eq!(
                error.to_string(),
                "it sent 64 MiB without the end of a line or an event"
            );
        }
    }

    #[tokio::test]
    async fn events_are_read_however_their_bytes_arrive() {
        let event =
            |name: &str, id: &str, data: &str| (name.to_owned(), id.to_owned(), data.to_owned());
        for part in [1, 2, 3, 1000] {
            for (text, events) in [
                (&b"data: {}\n\n"[..], vec![event("", "", "{}")]),
                (
                    b"data:{}\r\n\r\nid: 7\r\rdata: 1\n\n",
                    vec![event("", "", "{}"), event("", "7", ""), event("", "", "1")],
                ),
                (
                    b"\xef\xbb\xbfevent: message\nid:1\ndata: a\ndata:  b\n\n",
                    vec![event("message", "1", "a\n b")],
                ),
                (
                    b": ping\n\nretry: 5 s\n\nunknown-field: x\ndata: 1",
                    vec![event("", "", "1")],
                ),
                (
                    b"id: 1\nretry: 50\n\nretry:-1\n\nretry:2\n",
                    vec![event("retry 50ms", "1", "")],
                ),
                (b"data: \xff\n\ndata\n\n", vec![event("", "", "\u{fffd}")]),
                (b"", vec![]),
            ] {
                assert_eq!(
                    read(text, part).await,
                    events,
                    "{part}: {}",
                    String::from_utf8_lossy(text)
                );
            }
        }
    }
}
