//! Reads a JSON value as a type and records every error on the way, or the member that was refused.
//!
//! serde discards the errors of all alternatives of an untagged enum. The error type of this
//! deserializer records each error when serde creates it, before serde discards it.

use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, DeserializeSeed, Expected, IntoDeserializer, MapAccess, Unexpected,
        Visitor,
        value::{MapAccessDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Number, Value, map};
use std::{cell::Cell, fmt};

/// An object key that this deserializer reads as the number [`NOT_TEXT`]. A type that expects text
/// refuses it.
pub(crate) const NOT_TEXT_KEY: &str = "pd-runtime-no-text";
/// The number that replaces a key. It is a fraction, so integer types refuse it, too.
pub(crate) const NOT_TEXT: f64 = 0.5;
/// The number of errors that are recorded. A longer trace is dropped.
const ERRORS_MAX: usize = 1024;

/// An error that serde created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The value has another type.
    InvalidType {
        /// The value in serde's notation: `string "a"`.
        unexpected: String,
        /// The expectation of the type: `struct Point`.
        expected: String,
    },
    /// Any other error.
    Other(String),
}

impl ReadError {
    /// Returns the expectation of the type, if this error is about `value`.
    pub(crate) fn expected_instead_of(&self, value: &str) -> Option<&str> {
        match self {
            Self::InvalidType {
                unexpected,
                expected,
            } if unexpected == value => Some(expected),
            _ => None,
        }
    }
}

thread_local! {
    // The constructors of `de::Error` have no access to the deserializer, so they record in a
    // thread-local.
    static ERRORS: Cell<Vec<ReadError>> = const { Cell::new(Vec::new()) };
    /// The member of the root with the value that was refused last.
    static REFUSED: Cell<Option<String>> = const { Cell::new(None) };
}

/// A function that reads a value as one type. It returns the errors in their order, or `None` if
/// the type reads the value.
pub type ReadTrace = fn(&Value) -> Option<Vec<ReadError>>;

/// Returns the errors in their order, or `None` if the type reads the value.
pub(crate) fn trace<T: DeserializeOwned>(value: &Value) -> Option<Vec<ReadError>> {
    // A panic in an earlier `Deserialize` implementation may have left errors behind.
    ERRORS.take();
    let is_read = T::deserialize(ValueReader::root(value)).is_ok();
    let errors = ERRORS.take();
    // A full list may be incomplete, so nothing can be concluded from it.
    (!is_read && errors.len() < ERRORS_MAX).then_some(errors)
}

/// Returns the member of an object with the value that the type refuses. Returns `None` if the type
/// refuses the object as a whole, or reads it.
pub(crate) fn refused_member<T: DeserializeOwned>(value: &Value) -> Option<String> {
    REFUSED.take();
    let is_read = T::deserialize(ValueReader::root(value)).is_ok();
    // Only the member is needed, and this thread may not trace again to free the errors.
    ERRORS.take();
    REFUSED.take().filter(|_| !is_read)
}

/// The error type of the deserializer. Creating a value records an error.
#[derive(Debug)]
struct RecordedError;

impl RecordedError {
    fn record(error: ReadError) -> Self {
        // Taken out and put back, because a `Cell` lends no reference.
        let mut errors = ERRORS.take();
        // A full trace is dropped as a whole, so more errors would only cost memory.
        if errors.len() < ERRORS_MAX {
            errors.push(error);
        }
        ERRORS.set(errors);
        Self
    }
}

impl fmt::Display for RecordedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value was not read")
    }
}

impl std::error::Error for RecordedError {}

impl de::Error for RecordedError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::record(ReadError::Other(message.to_string()))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::record(ReadError::InvalidType {
            unexpected: unexpected.to_string(),
            expected: expected.to_string(),
        })
    }
}

/// Reads a value as serde_json does.
struct ValueReader<'de> {
    value: &'de Value,
    is_root: bool,
}

impl<'de> ValueReader<'de> {
    fn root(value: &'de Value) -> Self {
        Self {
            value,
            is_root: true,
        }
    }

    fn inside(value: &'de Value) -> Self {
        Self {
            value,
            is_root: false,
        }
    }
}

impl<'de> IntoDeserializer<'de, RecordedError> for ValueReader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = RecordedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(ValueReader::inside));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(entries) => {
                let mut members = MemberReader::new(entries, self.is_root);
                let read = visitor.visit_map(&mut members)?;
                // serde_json refuses an object of which a visitor has not read all members, too.
                match members.rest.len() {
                    0 => Ok(read),
                    _ => Err(de::Error::custom("the object has more members")),
                }
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            // An `Option` adds no level, so the root stays the root.
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        match self.value {
            Value::String(variant) => visitor.visit_enum(variant.as_str().into_deserializer()),
            Value::Object(entries) => visitor.visit_enum(MapAccessDeserializer::new(
                MemberReader::new(entries, self.is_root),
            )),
            // The visitor refuses the value, and its error names the enum.
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// Reads the members of an object.
struct MemberReader<'de> {
    rest: map::Iter<'de>,
    /// The member of which the name was read. Its value is next.
    member: Option<(&'de str, &'de Value)>,
    is_root: bool,
}

impl<'de> MemberReader<'de> {
    fn new(members: &'de Map<String, Value>, is_root: bool) -> Self {
        Self {
            rest: members.iter(),
            member: None,
            is_root,
        }
    }
}

impl<'de> MapAccess<'de> for MemberReader<'de> {
    type Error = RecordedError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, RecordedError> {
        self.member = self.rest.next().map(|(name, value)| (name.as_str(), value));
        self.member
            .map(|(name, _)| seed.deserialize(KeyReader(name)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, RecordedError> {
        let Some((name, value)) = self.member.take() else {
            return Err(de::Error::custom("a value was read before its name"));
        };
        let read = seed.deserialize(ValueReader::inside(value));
        // Recorded here, because an implementation of `Deserialize` may fail after it has read the
        // value.
        if self.is_root && read.is_err() {
            REFUSED.set(Some(name.to_owned()));
        }
        read
    }
}

fn visit_number<'de, V: Visitor<'de>>(
    number: &Number,
    visitor: V,
) -> Result<V::Value, RecordedError> {
    // serde_json visits every number that is not negative as `u64`.
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
    }
}

/// Reads an object key. Like serde_json, it also reads numbers and booleans from the text.
struct KeyReader<'de>(&'de str);

impl<'de> IntoDeserializer<'de, RecordedError> for KeyReader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed_keys {
    ($($method:ident => $visit:ident),* $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
            match self.0.parse() {
                Ok(parsed) => visitor.$visit(parsed),
                // The type then refuses the text, and its error names what it expects.
                Err(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = RecordedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        if self.0 == NOT_TEXT_KEY {
            visitor.visit_f64(NOT_TEXT)
        } else {
            visitor.visit_borrowed_str(self.0)
        }
    }

    parsed_keys! {
        deserialize_bool => visit_bool,
        deserialize_i8 => visit_i8,
        deserialize_i16 => visit_i16,
        deserialize_i32 => visit_i32,
        deserialize_i64 => visit_i64,
        deserialize_i128 => visit_i128,
        deserialize_u8 => visit_u8,
        deserialize_u16 => visit_u16,
        deserialize_u32 => visit_u32,
        deserialize_u64 => visit_u64,
        deserialize_u128 => visit_u128,
        deserialize_f32 => visit_f32,
        deserialize_f64 => visit_f64,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        // A key is always present, so an `Option` as a key type is `Some`.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        match self.0 {
            NOT_TEXT_KEY => self.deserialize_any(visitor),
            variant => visitor.visit_enum(variant.into_deserializer()),
        }
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
