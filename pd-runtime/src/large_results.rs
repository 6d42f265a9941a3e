//! Results that are too large for a model: a preview in their place, and a store from which the
//! model reads on. Nothing is lost, and no value is cut.
//!
//! `preview` shows what a result is, `reading` answers questions about it, `store` keeps it for its
//! caller, and `shape` and `rows` write JSON in few tokens.

mod preview;
mod reading;
mod rows;
mod shape;
pub(crate) mod store;

pub(crate) use preview::preview;
pub(crate) use reading::{ReadRequest, read};

use serde_json::Value;
use std::borrow::Cow;

/// The most tokens of a preview.
pub(crate) const PREVIEW_TOKENS: usize = 800;
/// The most tokens of an answer to a reading, without the advice on how to read on.
pub(crate) const ANSWER_TOKENS: usize = 1_200;
/// The longest piece of a line, in characters. A longer line, such as one of minified code, is read
/// in pieces.
const PIECE_MAX: usize = 1_000;

/// A large text, with what it contains.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    /// Its value if it is JSON.
    pub(crate) value: Option<Value>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
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
