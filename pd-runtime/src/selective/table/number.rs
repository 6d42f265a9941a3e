//! Parsing of row numbers from other servers.

use serde::{
    Deserialize,
    de::{Deserializer, Error, Unexpected, Visitor},
};
use std::fmt;

/// The value of a `_row_id`. In JSON Schema and JavaScript, `3.0` is an integer, so it is accepted
/// as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowId(pub(crate) i64);

/// The limit up to which every integer is exact as a float (2^53).
const FLOAT_MAX: f64 = (1_u64 << 53) as f64;

impl<'de> Deserialize<'de> for RowId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A hint only: serde_json calls the visitor method of the number that it reads.
        deserializer.deserialize_i64(RowIdVisitor).map(RowId)
    }
}

struct RowIdVisitor;

impl Visitor<'_> for RowIdVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row's number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        number
            // No table has a row beyond `i64`, and a wrapped number would name another row.
            .try_into()
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<i64, E> {
        match number.fract() == 0.0 && number.abs() <= FLOAT_MAX {
            true => Ok(number as i64),
            false => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<i64> {
        serde_json::from_str::<RowId>(text).ok().map(|row| row.0)
    }

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        for (text, number) in [
            ("3", 3),
            ("3.0", 3),
            ("30e-1", 3),
            ("-1", -1),
            ("0", 0),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
        for text in [
            "3.5",
            "\"3\"",
            "null",
            "1e300",
            "9223372036854775808",
            "9007199254740994.0",
            "true",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(
            RowId::deserialize(serde_json::json!(2.0)).ok(),
            Some(RowId(2))
        );
    }
}
