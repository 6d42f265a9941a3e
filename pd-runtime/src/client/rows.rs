//! Rows that a selective tool returned as its `body`, keyed by their numbers, and the selection of
//! the rows that a call names.

mod same;

use crate::selective::table::RowId;
use same::same_json;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::collections::{HashMap, HashSet};

/// The estimated memory of a row in addition to its text.
const ROW_BYTES: usize = 64;
/// The depth to which two rows are compared. It equals the depth limit of `serde_json`.
const DEPTH_MAX: usize = 128;

/// Rows as they were in a result, each under its `_row_id`.
#[derive(Debug)]
pub(super) struct RowsById {
    numbered: HashMap<i64, Box<RawValue>>,
    bytes: usize,
}

#[derive(Deserialize)]
struct RowNumber {
    #[serde(rename = "_row_id")]
    number: RowId,
}

impl RowsById {
    /// Parses the rows of a JSON array of objects. A row without a number is left out, because no
    /// call could name it.
    pub(super) fn parse(body: &RawValue) -> Option<Self> {
        let rows = parse_objects(body)?;
        let number = |row: &RawValue| {
            serde_json::from_str::<RowNumber>(row.get())
                .ok()
                .map(|row| row.number.0)
        };
        let numbered: HashMap<_, _> = rows
            .into_iter()
            .filter_map(|row| Some((number(row)?, row.to_owned())))
            .collect();
        let bytes = numbered
            .values()
            .map(|row| row.get().len() + ROW_BYTES)
            .sum();
        Some(Self { numbered, bytes })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbered.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the rows of these numbers as a JSON array, each once, in the requested order.
    /// Returns `None` if none of them exists.
    pub(super) fn select(&self, numbers: &[i64]) -> Option<String> {
        let mut seen = HashSet::new();
        let rows = numbers
            .iter()
            .filter(|number| seen.insert(**number))
            .filter_map(|number| self.numbered.get(number));
        let rows: Vec<&str> = rows.map(|row| row.get()).collect();
        (!rows.is_empty()).then(|| format!("[{}]", rows.join(",")))
    }

    /// Returns whether both sets contain the same rows. Differences in formatting do not matter.
    pub(super) fn equals(&self, others: &Self) -> bool {
        let has_equal = |number: &i64, row: &RawValue| {
            others
                .numbered
                .get(number)
                .is_some_and(|other| same_json(row, other, DEPTH_MAX))
        };
        self.numbered.len() == others.numbered.len()
            && self
                .numbered
                .iter()
                .all(|(number, row)| has_equal(number, row))
    }
}

/// Returns the elements of a JSON array that contains only objects.
pub(super) fn parse_objects(array: &RawValue) -> Option<Vec<&RawValue>> {
    let elements: Vec<&RawValue> = serde_json::from_str(array.get()).ok()?;
    // `RawValue` has no leading whitespace, so the first byte is the type of the value.
    elements
        .iter()
        .all(|element| element.get().starts_with('{'))
        .then_some(elements)
}

/// Returns the numbers of the rows in a call's `abstract_data`: JSON in a string, or the rows
/// themselves.
///
/// # Errors
///
/// Returns an error if the value is not an array of rows with numbers.
pub(super) fn row_numbers(abstract_data: &Value) -> serde_json::Result<Vec<i64>> {
    let rows: Vec<RowNumber> = match abstract_data {
        Value::String(text) => serde_json::from_str(text),
        rows => Vec::deserialize(rows),
    }?;
    Ok(rows.into_iter().map(|row| row.number.0).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn rows(text: &str) -> RowsById {
        RowsById::parse(serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn rows_are_picked_as_they_stood_once_each_in_the_order_asked() {
        let rows = rows(
            r#"[{"_row_id":0,"n":1e2}, {"n": 12345678901234567890123, "_row_id":7.0}, {"n":0}]"#,
        );
        let seven = r#"{"n": 12345678901234567890123, "_row_id":7.0}"#;
        assert_eq!(
            rows.select(&[7, 3, 0, 7]),
            Some(format!(r#"[{seven},{{"_row_id":0,"n":1e2}}]"#))
        );
        assert_eq!(rows.select(&[3]), None);
        assert_eq!(rows.select(&[]), None);
    }

    #[test]
    fn only_arrays_of_objects_are_rows() {
        for text in [
            "[1]",
            "\"text\"",
            "null",
            r#"{"_row_id":0}"#,
            r#"[{"_row_id":0},"x"]"#,
        ] {
            assert!(
                RowsById::parse(serde_json::from_str(text).unwrap()).is_none(),
                "{text}"
            );
        }
        assert!(RowsById::parse(serde_json::from_str("[]").unwrap()).is_some());
    }

    #[test]
    fn rows_are_the_same_however_they_are_written() {
        let one = rows(r#"[{"_row_id":0,"a":"é","b":1}]"#);
        assert!(one.equals(&rows(r#"[ { "b" : 1, "a": "\u00e9", "_row_id": 0 } ]"#)));
        assert!(!one.equals(&rows(r#"[{"_row_id":0,"a":"e","b":1}]"#)));
        assert!(!one.equals(&rows(r#"[{"_row_id":1,"a":"é","b":1}]"#)));
        assert!(!one.equals(&rows("[]")));
    }

    #[test]
    fn rows_that_cannot_be_compared_are_not_the_same() {
        let (one, other) = (
            r#"[{"_row_id":0,"a":12345678901234567890123}]"#,
            r#"[{"_row_id":0,"a":12345678901234567890124}]"#,
        );
        assert!(rows(one).equals(&rows(one)) && !rows(one).equals(&rows(other)));
        let (one, other) = (
            r#"[{"_row_id":0,"a":"\ud800"}]"#,
            r#"[{"_row_id":0,"a":"\ud801"}]"#,
        );
        assert!(!rows(one).equals(&rows(other)));
    }

    #[test]
    fn a_calls_rows_are_named_by_their_numbers() {
        assert_eq!(
            row_numbers(&json!(
                r#"[{"_row_id": 2, "event": "wind"}, {"_row_id": 0}]"#
            ))
            .unwrap(),
            [2, 0]
        );
        assert_eq!(
            row_numbers(&json!([{ "_row_id": 5 }, { "_row_id": 2.0 }])).unwrap(),
            [5, 2]
        );
        assert_eq!(row_numbers(&json!(r#"[{"_row_id": 2.0}]"#)).unwrap(), [2]);
        assert_eq!(row_numbers(&json!("[]")).unwrap(), Vec::<i64>::new());
        for unnamed in [
            json!(""),
            json!("rows 1 to 3"),
            json!("[1]"),
            json!(r#"[{"event":"wind"}]"#),
            json!(null),
        ] {
            assert!(row_numbers(&unnamed).is_err(), "{unnamed}");
        }
    }
}
