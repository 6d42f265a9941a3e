//! Results that are too large for a model: a preview in their place, and answers to what the model
//! reads on. Nothing is lost, and no value is cut.
//!
//! `shorten` replaces the texts of a result, `preview` shows what a text is, `reading` answers
//! questions about it, and `shape` and `rows` write JSON in few tokens. The data plane keeps the
//! texts. `bound` is how others reach all this.

mod bound;
mod preview;
mod reading;
mod request;
mod rows;
mod shape;
mod shorten;
mod terms;

pub(crate) use bound::{LargeResults, ResultBound};
pub(crate) use terms::{ReadCall, ShortenTerms, TakenText};

use serde_json::Value;
use std::{borrow::Cow, time::Duration};

/// The name of the tool that reads on.
pub(crate) const READ_MORE: &str = "read_more";
/// The most tokens of a preview.
const PREVIEW_TOKENS: usize = 800;
/// The most tokens of an answer to a reading, without the advice on how to read on.
const ANSWER_TOKENS: usize = 1_200;
/// The longest piece of a line, in characters. A longer line, such as one of minified code, is read
/// in pieces.
const PIECE_MAX: usize = 1_000;

/// A large text, with what it contains.
#[derive(Debug)]
struct Document<'a> {
    text: &'a str,
    /// Its value if it is JSON.
    value: Option<Value>,
}

impl<'a> Document<'a> {
    fn new(text: &'a str) -> Self {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let value = is_json
            .then(|| serde_json::from_str(text).ok())
            .flatten()
            .filter(|value: &Value| value.is_array() || value.is_object());
        Self { text, value }
    }

    /// Returns the lines with their ends. A long line is several.
    fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.text.split_inclusive('\n').flat_map(pieces)
    }
}

/// Divides a line into pieces between its characters.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .nth(PIECE_MAX)
            .map_or(rest.len(), |(at, _)| at);
        // The end of the line belongs to its last piece.
        let end = if rest.get(end..) == Some("\n") {
            rest.len()
        } else {
            end
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Returns a time in words.
pub(crate) fn spoken(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 60, seconds % 60) {
        (1, 0) => "1 minute".to_owned(),
        (minutes, 0) => format!("{minutes} minutes"),
        _ => format!("{seconds} seconds"),
    }
}

/// Returns a key as a part of a JSON Pointer (RFC 6901).
fn pointer_part(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

#[cfg(test)]
mod tests;
