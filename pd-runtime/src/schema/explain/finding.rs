//! One reason why a value is not valid.

use super::choices::listed;
use crate::schema::{
    node::{NodeId, TypeSet},
    violations::escaped,
};
use serde_json::Value;

/// The maximum length of a value or pattern in a message, in characters.
const QUOTE_MAX: usize = 60;

/// A value in the arguments, with its JSON pointer.
#[derive(Debug, Clone)]
pub(super) struct ArgumentValue<'v> {
    pub(super) pointer: String,
    pub(super) value: &'v Value,
}

impl<'v> ArgumentValue<'v> {
    pub(super) fn member(&self, name: &str, value: &'v Value) -> Self {
        Self { pointer: format!("{}/{}", self.pointer, escaped(name)), value }
    }

    pub(super) fn item(&self, place: usize, value: &'v Value) -> Self {
        Self { pointer: format!("{}/{place}", self.pointer), value }
    }
}

/// A reason, and the value that it is about.
#[derive(Debug)]
pub(super) struct ViolationFinding<'s, 'v> {
    pub(super) place: ArgumentValue<'v>,
    pub(super) kind: FindingKind<'s, 'v>,
}

/// The kinds of reasons. Those that distinguish the branches of a union are not yet rendered.
#[derive(Debug)]
pub(super) enum FindingKind<'s, 'v> {
    Type(TypeSet),
    Const(&'s Value),
    Enum(&'s [Value]),
    Missing {
        name: &'s str,
        because: Option<&'s str>,
    },
    Unknown(&'v str),
    /// No branch of a union accepts the value.
    Union(&'s [NodeId]),
    /// An inner array or object is not valid.
    Part(NodeId),
    /// A reason without its subject: "is longer than 5 characters".
    Other(String),
}

impl ViolationFinding<'_, '_> {
    /// Renders the reason without the value.
    pub(super) fn reason(&self) -> String {
        match &self.kind {
            FindingKind::Type(types) => format!("is not of type {}", types.render()),
            FindingKind::Const(only) => format!("is not {}", quote(only)),
            FindingKind::Enum(values) => format!("is none of {}", listed(&values.iter().collect::<Vec<_>>())),
            FindingKind::Missing { because: None, .. } => "is required".to_owned(),
            FindingKind::Missing { because: Some(name), .. } => format!("is required beside `{name}`"),
            FindingKind::Unknown(_) => "is not a property here".to_owned(),
            FindingKind::Union(branches) => format!("fits none of {} forms", branches.len()),
            FindingKind::Part(_) => "is not valid".to_owned(),
            FindingKind::Other(reason) => reason.clone(),
        }
    }

    /// Renders the value, if it is short, and the reason.
    pub(super) fn message(&self) -> String {
        match self.place.value {
            Value::Array(_) | Value::Object(_) => self.reason(),
            scalar => format!("{} {}", quote(scalar), self.reason()),
        }
    }
}

/// Renders a value, cut if it is long.
pub(super) fn quote(value: &Value) -> String {
    let cut =
        |text: &str| text.char_indices().nth(QUOTE_MAX).map(|(end, _)| text.get(..end).unwrap_or_default().to_owned());
    match value {
        // Cut first: a text of megabytes must not be escaped as a whole.
        Value::String(text) => match cut(text) {
            Some(start) => format!("{}…", Value::String(start)),
            None => value.to_string(),
        },
        other => {
            let text = other.to_string();
            cut(&text).map_or(text, |start| format!("{start}…"))
        }
    }
}

/// Renders a text of the schema, cut if it is long.
pub(super) fn quote_text(text: &str) -> String {
    match text.char_indices().nth(QUOTE_MAX) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}
