//! The violations of a call's arguments, with limits on their number and length.

use super::{json_text::JsonTexts, pointer};
use serde::Serialize;

/// The maximum number of violations in one answer; the rest are counted.
const VIOLATIONS_MAX: usize = 20;
/// The maximum length of a message, in characters. Messages may quote arguments.
const MESSAGE_MAX: usize = 300;
/// The maximum length of a message that lists allowed values, in characters.
const LIST_MAX: usize = 1_500;
/// The maximum length of all such messages of a call together, in characters. Further ones are cut
/// to `MESSAGE_MAX`.
const LISTS_MAX: usize = 4_000;

/// One violation of the input schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaViolation {
    /// The JSON pointer (RFC 6901) into the arguments. For a missing argument it points to where it
    /// belongs.
    pub pointer: String,
    /// The message.
    pub message: String,
    #[serde(skip)]
    /// What must change there.
    pub kind: ViolationKind,
}

/// What must change at the place of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViolationKind {
    /// A property must be added.
    Missing,
    /// A property must be removed, or have another name.
    Unknown,
    /// The value must be another one.
    Value,
}

/// All violations of one call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolations {
    /// The first ones, at most `VIOLATIONS_MAX`.
    pub first: Vec<SchemaViolation>,
    /// The number of all violations.
    pub total: usize,
    /// The texts that hold the JSON of what the schema wants in their place.
    pub texts: Box<JsonTexts>,
    /// The characters that messages with lists have used so far.
    listed: usize,
}

impl SchemaViolations {
    /// Creates the violation of arguments that are not an object, at the root.
    pub fn not_an_object() -> Self {
        Self::from_root("is not an object; send {\"argument\": value}".to_owned())
    }

    /// Creates an empty report.
    pub fn none() -> Self {
        Self {
            first: Vec::new(),
            total: 0,
            texts: Box::default(),
            listed: 0,
        }
    }

    /// Creates the violation of one argument. The message is not shortened.
    pub fn from_argument(argument: &str, message: String) -> Self {
        Self::at(pointer::child("", argument), message)
    }

    /// Creates the violation of the arguments as a whole.
    pub fn from_root(message: String) -> Self {
        Self::at(String::new(), message)
    }

    /// Creates one violation at a pointer.
    pub(super) fn at(pointer: String, message: String) -> Self {
        let kind = ViolationKind::Value;
        Self {
            first: vec![SchemaViolation {
                pointer,
                message,
                kind,
            }],
            total: 1,
            texts: Box::default(),
            listed: 0,
        }
    }

    /// Adds a violation of one argument as a whole.
    pub fn add_at(&mut self, argument: &str, message: impl FnOnce() -> String) {
        self.add(
            ViolationKind::Value,
            || pointer::child("", argument),
            message,
        );
    }

    pub(super) fn add(
        &mut self,
        kind: ViolationKind,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        self.add_within(MESSAGE_MAX, kind, pointer, message);
    }

    /// Adds a violation with a message that lists allowed values.
    pub(super) fn add_listed(
        &mut self,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        // The first lists get the full length. A call with many bad enums must not cost a model
        // thousands of tokens.
        let limit = LISTS_MAX
            .saturating_sub(self.listed)
            .clamp(MESSAGE_MAX, LIST_MAX);
        self.add_within(limit, ViolationKind::Value, pointer, message);
        self.listed += self
            .first
            .last()
            .map_or(0, |last| last.message.chars().count());
    }

    fn add_within(
        &mut self,
        limit: usize,
        kind: ViolationKind,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        self.total += 1;
        // Rendered only if there is room, because closures build pointer and message.
        if self.first.len() < VIOLATIONS_MAX {
            let message = shortened_to(limit, message());
            // A pointer may contain a long name of the caller.
            self.first.push(SchemaViolation {
                pointer: shortened_to(MESSAGE_MAX, pointer()),
                message,
                kind,
            });
        }
    }

    /// Renders the violations in one line, for logs and messages to authors.
    pub fn render(&self) -> String {
        let rendered: Vec<_> = self
            .first
            .iter()
            .map(|one| format!("`{}` {}", one.pointer, one.message))
            .collect();
        rendered.join("; ")
    }
}

fn shortened_to(limit: usize, text: String) -> String {
    match text.char_indices().nth(limit) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
