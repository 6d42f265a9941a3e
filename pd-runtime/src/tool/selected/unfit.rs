//! Explanations of why a row does not fit its type. They contain no value of the row, because most
//! values were withheld from the model that reads them.

use serde::{
    de::{
        self, DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Number, Value};
use std::fmt;

/// The expected type, and the kind of value that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowMismatch {
    /// The column of the value, if it is known.
    pub(super) column: Option<String>,
    why: String,
}

impl RowMismatch {
    /// Explains why this row is not a `T`.
    pub(super) fn diagnose<T: DeserializeOwned>(row: &Value) -> Self {
        match T::deserialize(CellDeserializer {
            column: None,
            value: row,
        }) {
            // The type accepts the value from this deserializer but not from serde_json's, so the
            // reason is not known.
            Ok(_) => Self::from_reason("its type refuses it"),
            Err(unfit) => unfit,
        }
    }

    /// Creates an explanation from a text without values.
    pub(super) fn from_reason(why: impl Into<String>) -> Self {
        Self {
            column: None,
            why: why.into(),
        }
    }

    /// Adds the column, unless an inner value has set it.
    fn in_column(self, column: Option<&str>) -> Self {
        Self {
            column: column.map(str::to_owned).or(self.column),
            ..self
        }
    }
}

impl fmt::Display for RowMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "column `{column}`: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for RowMismatch {}

impl de::Error for RowMismatch {
    /// Drops the message, because a type's own message may quote the value.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::from_reason("its type refuses it")
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::from_reason(format!("expected {expected}, found {}", kind(&found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::from_reason(format!(
            "expected {expected}, found {} that is not one",
            kind(&found)
        ))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::from_reason(format!("expected {expected}, found more or fewer"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::from_reason(format!("expected {}, found another name", names(expected)))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::from_reason(format!(
            "expected {} alone, found another field",
            names(expected)
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::from_reason(format!("missing field `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::from_reason(format!("two fields that become `{field}`"))
    }
}

fn names(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn kind(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "an array",
        Unexpected::Map => "an object",
        _ => "something else",
    }
}

/// A value, and the column that it belongs to.
#[derive(Clone, Copy)]
struct CellDeserializer<'a> {
    column: Option<&'a str>,
    value: &'a Value,
}

impl<'a> CellDeserializer<'a> {
    fn items(self, items: &'a [Value]) -> impl Iterator<Item = Self> {
        items.iter().map(move |value| Self { value, ..self })
    }

    /// Returns the entries of an object. The keys of the outermost object are the columns.
    fn entries(
        self,
        entries: &'a serde_json::Map<String, Value>,
    ) -> impl Iterator<Item = (&'a str, Self)> {
        entries.iter().map(move |(name, value)| {
            (
                name.as_str(),
                Self {
                    column: self.column.or(Some(name)),
                    value,
                },
            )
        })
    }
}

impl<'de> IntoDeserializer<'de, RowMismatch> for CellDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for CellDeserializer<'de> {
    type Error = RowMismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowMismatch> {
        let read = match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(self.items(items))),
            Value::Object(entries) => {
                visitor.visit_map(MapDeserializer::new(self.entries(entries)))
            }
        };
        read.map_err(|unfit| unfit.in_column(self.column))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowMismatch> {
        let read = if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        };
        read.map_err(|unfit| unfit.in_column(self.column))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowMismatch> {
        visitor
            .visit_newtype_struct(self)
            .map_err(|unfit| unfit.in_column(self.column))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowMismatch> {
        let read = match self.value {
            Value::String(name) => visitor.visit_enum(name.as_str().into_deserializer()),
            Value::Object(entries) => visitor.visit_enum(MapAccessDeserializer::new(
                MapDeserializer::new(self.entries(entries)),
            )),
            _ => return self.deserialize_any(visitor),
        };
        read.map_err(|unfit| unfit.in_column(self.column))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// Visits a number. Whole floats count as integers, as in JSON Schema and JavaScript, up to 2^53,
/// beyond which an `f64` is not exact.
fn visit_number<'de, V: Visitor<'de>>(
    number: &Number,
    visitor: V,
) -> Result<V::Value, RowMismatch> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(whole), ..) => visitor.visit_u64(whole),
        (_, Some(whole), _) => visitor.visit_i64(whole),
        (.., Some(float)) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => {
            visitor.visit_i64(float as i64)
        }
        (.., float) => visitor.visit_f64(float.unwrap_or_default()),
    }
}
