//! One reason why a value is not valid.

use super::choices::listed;
use crate::{
    node::{NodeId, NumberBound, SchemaKeyword, SizeLimit, TypeSet},
    pointer::{child, escaped},
};
use serde_json::Value;
use std::{borrow::Cow, rc::Rc};

/// The maximum length of a value or pattern in a message, in characters.
const QUOTE_MAX: usize = 60;

/// A value in the arguments, with the path to it. Paths share their beginnings, because names of
/// properties may be long and come from the caller.
#[derive(Debug, Clone)]
pub(super) struct ArgumentValue<'v> {
    pub(super) value: &'v Value,
    /// The last step of the path. The root has none.
    step: Option<Rc<PathStep<'v>>>,
}

#[derive(Debug)]
struct PathStep<'v> {
    before: Option<Rc<PathStep<'v>>>,
    into: PathPart<'v>,
}

/// The name of a property or the index of an item.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathPart<'v> {
    Member(&'v str),
    Item(usize),
}

impl<'v> ArgumentValue<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self { value, step: None }
    }

    pub(super) fn part(&self, into: PathPart<'v>, value: &'v Value) -> Self {
        Self {
            value,
            step: Some(Rc::new(PathStep {
                before: self.step.clone(),
                into,
            })),
        }
    }

    pub(super) fn is_root(&self) -> bool {
        self.step.is_none()
    }

    /// Returns whether both are the same place in the arguments.
    pub(super) fn is_same(&self, other: &ArgumentValue<'_>) -> bool {
        // By address, because equal values may be in two places.
        std::ptr::eq(self.value, other.value)
    }

    /// Returns the parts of the path, the first one first.
    pub(super) fn path(&self) -> Vec<PathPart<'v>> {
        let steps = std::iter::successors(self.step.as_deref(), |step| step.before.as_deref());
        let mut parts: Vec<_> = steps.map(|step| step.into).collect();
        // The steps lead from the value to the root.
        parts.reverse();
        parts
    }

    /// Renders the JSON pointer.
    pub(super) fn pointer(&self) -> String {
        self.path()
            .into_iter()
            // A name may contain `/` or `~`, which a JSON pointer escapes (RFC 6901, section 3).
            .map(|part| format!("/{}", escaped(&part.render())))
            .collect()
    }

    /// Renders the JSON pointer to a property, which may be missing.
    pub(super) fn pointer_to(&self, name: &str) -> String {
        child(&self.pointer(), name)
    }
}

impl<'v> PathPart<'v> {
    pub(super) fn render(self) -> Cow<'v, str> {
        match self {
            Self::Member(name) => Cow::Borrowed(name),
            Self::Item(index) => Cow::Owned(index.to_string()),
        }
    }
}

/// A reason, and the value that it is about.
#[derive(Debug)]
pub(super) struct ViolationFinding<'s, 'v> {
    pub(super) place: ArgumentValue<'v>,
    pub(super) kind: FindingKind<'s, 'v>,
}

/// The kinds of reasons.
#[derive(Debug, Clone, Copy)]
pub(super) enum FindingKind<'s, 'v> {
    Type(TypeSet),
    Const(&'s Value),
    Enum(&'s [Value]),
    Missing {
        name: &'s str,
        because: Option<&'s str>,
    },
    Unknown(&'v str),
    /// The schema refuses the name of the value.
    Name,
    /// No branch of a union accepts the value.
    Union(&'s [NodeId]),
    /// More than one branch of this number accepts the value.
    Ambiguous(usize),
    /// An inner array or object is not valid.
    Part(NodeId),
    /// The value is not valid, and was not inspected.
    Uninspected,
    /// Another keyword refuses the value.
    Keyword(&'s SchemaKeyword),
}

impl ViolationFinding<'_, '_> {
    /// Renders the reason without the value.
    pub(super) fn reason(&self) -> String {
        match &self.kind {
            FindingKind::Type(types) => format!("is not of type {}", types.render()),
            FindingKind::Const(only) => format!("is not {}", quote(only)),
            FindingKind::Enum(values) => {
                format!("is none of {}", listed(&values.iter().collect::<Vec<_>>()))
            }
            FindingKind::Missing { because: None, .. } => "is required".to_owned(),
            FindingKind::Missing {
                because: Some(name),
                ..
            } => format!("is required beside `{name}`"),
            FindingKind::Unknown(_) => "is not a property here".to_owned(),
            FindingKind::Name => "has a name that is not allowed here".to_owned(),
            FindingKind::Union(branches) => format!("fits none of {} forms", branches.len()),
            FindingKind::Ambiguous(branches) => {
                format!("fits more than one of {branches} forms, and must fit exactly one")
            }
            FindingKind::Part(_) | FindingKind::Uninspected => "is not valid".to_owned(),
            FindingKind::Keyword(keyword) => keyword_reason(keyword),
        }
    }

    /// Renders the value, if it is short, and the reason.
    pub(super) fn message(&self) -> String {
        match self.place.value {
            // An array or object is rarely short.
            Value::Array(_) | Value::Object(_) => self.reason(),
            scalar => format!("{} {}", quote(scalar), self.reason()),
        }
    }
}

/// Renders why a keyword refuses a value, without the value.
fn keyword_reason(keyword: &SchemaKeyword) -> String {
    let counted = |count: u64, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    match keyword {
        SchemaKeyword::Bound(NumberBound::Minimum, limit) => {
            format!("is less than the minimum of {limit}")
        }
        SchemaKeyword::Bound(NumberBound::Maximum, limit) => {
            format!("is greater than the maximum of {limit}")
        }
        SchemaKeyword::Bound(NumberBound::Above, limit) => format!("is not greater than {limit}"),
        SchemaKeyword::Bound(NumberBound::Below, limit) => format!("is not less than {limit}"),
        SchemaKeyword::MultipleOf(divisor) => format!("is not a multiple of {divisor}"),
        SchemaKeyword::Size(limit, count) => match limit {
            SizeLimit::MinLength => format!(
                "is shorter than {}",
                counted(*count, "character", "characters")
            ),
            SizeLimit::MaxLength => format!(
                "is longer than {}",
                counted(*count, "character", "characters")
            ),
            SizeLimit::MinItems => format!("has less than {}", counted(*count, "item", "items")),
            SizeLimit::MaxItems => format!("has more than {}", counted(*count, "item", "items")),
            SizeLimit::MinProperties => format!(
                "has less than {}",
                counted(*count, "property", "properties")
            ),
            SizeLimit::MaxProperties => format!(
                "has more than {}",
                counted(*count, "property", "properties")
            ),
        },
        SchemaKeyword::Unique => "has equal items, which must be unique".to_owned(),
        SchemaKeyword::Pattern(pattern) => {
            format!("does not match the pattern {}", quote_text(&pattern.source))
        }
        SchemaKeyword::Format(format) => format!("is not a valid {}", format.as_str()),
        SchemaKeyword::Contains {
            least, most: None, ..
        } => {
            format!(
                "must contain at least {} of the required form",
                counted(*least, "item", "items")
            )
        }
        SchemaKeyword::Contains {
            least,
            most: Some(most),
            ..
        } => {
            format!("must contain {least} to {most} items of the required form")
        }
        SchemaKeyword::Not(_) => "has a form that is not allowed here".to_owned(),
        _ => "is not allowed here".to_owned(),
    }
}

/// Renders a value, cut if it is long.
fn quote(value: &Value) -> String {
    let cut = |text: &str| {
        text.char_indices()
            .nth(QUOTE_MAX)
            .map(|(end, _)| text.get(..end).unwrap_or_default().to_owned())
    };
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
fn quote_text(text: &str) -> String {
    match text.char_indices().nth(QUOTE_MAX) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}
