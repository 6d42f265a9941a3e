//! The data model that JSON and TOML files share: values with their offset in the file, and the
//! conversion of offsets to lines and columns.

use std::fmt;

/// A value of a file.
#[derive(Clone)]
pub(super) struct SpannedValue {
    /// The offset of the value's first byte.
    pub(super) offset: usize,
    pub(super) data: SpannedData,
}

/// The data of a value.
#[derive(Clone)]
pub(super) enum SpannedData {
    Null,
    Boolean(bool),
    /// A number, with its text as the file has it.
    Number(f64, String),
    Text(String),
    Array(Vec<SpannedValue>),
    Object(Vec<SpannedMember>),
    /// A date or time of TOML.
    Date,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct SpannedMember {
    pub(super) key: String,
    /// The offset of the key.
    pub(super) offset: usize,
    pub(super) value: SpannedValue,
}

impl SpannedValue {
    /// Returns the members of an object, or `None` for another type.
    pub(super) fn as_object(&self) -> Option<&[SpannedMember]> {
        match &self.data {
            SpannedData::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the member of an object. Returns `None` for another type, a missing member, and a
    /// member that is `null`: programs that write such files use `null` for an absent value.
    pub(super) fn get(&self, key: &str) -> Option<&SpannedMember> {
        let member = self.as_object()?.iter().find(|member| member.key == key)?;
        (!matches!(member.value.data, SpannedData::Null)).then_some(member)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.data {
            SpannedData::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Converts the value to JSON. A date of TOML becomes null, because no key of a server is a
    /// date.
    #[cfg(feature = "cli")]
    pub(super) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.data {
            SpannedData::Null | SpannedData::Date => Value::Null,
            SpannedData::Boolean(value) => Value::Bool(*value),
            SpannedData::Number(number, text) => {
                // From the text, because a large integer loses digits as a double.
                serde_json::from_str(text).unwrap_or_else(|_| (*number).into())
            }
            SpannedData::Text(text) => Value::String(text.clone()),
            SpannedData::Array(elements) => elements.iter().map(Self::to_json).collect(),
            SpannedData::Object(members) => members
                .iter()
                .map(|member| (member.key.clone(), member.value.to_json()))
                .collect(),
        }
    }

    /// Returns the name of the value's type, with its article.
    pub(super) fn type_name(&self) -> &'static str {
        self.data.type_name()
    }
}

impl SpannedData {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Number(..) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
            Self::Date => "a date",
        }
    }
}

// Prints types only, because texts can be secrets.
impl fmt::Debug for SpannedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.type_name(), self.offset)
    }
}

impl fmt::Debug for SpannedData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())
    }
}

/// Converts offsets in a text to lines and columns.
pub(super) struct LineIndex<'t> {
    text: &'t str,
    /// The offset of each line's first byte.
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// Returns the line and the column, both counted from 1. Columns count characters.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied()
            .unwrap_or_default();
        // An offset inside of a character or after the end has no text before it to count.
        let before = self
            .text
            .get(start..offset)
            .map_or(0, |before| before.chars().count());
        (line.max(1), before + 1)
    }
}

// The text itself can contain secrets.
impl fmt::Debug for LineIndex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineIndex")
            .field("lines", &self.starts.len())
            .finish_non_exhaustive()
    }
}
