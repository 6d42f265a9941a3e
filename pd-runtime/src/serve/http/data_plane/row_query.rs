//! The query of a consumer for rows and columns: `{"row_ids": [0, 2], "columns": ["city"]}`.

use super::super::json_object::StrictObject;
use crate::{
    selective::table::{PickedRows, ROW_ID, RowId, Table},
    text::truncate::first_chars,
};

use serde::{Deserialize, Deserializer};
use std::sync::Arc;

/// The usage hint in refusals.
const HOW: &str = r#"send {"row_ids": [0, 2], "columns": ["NAME"]}; what is left out means all"#;

/// A query for rows. A missing member selects everything; an empty list of rows selects none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowQuery {
    #[serde(default, deserialize_with = "deserialize_present")]
    row_ids: Option<Vec<RowId>>,
    #[serde(default, deserialize_with = "deserialize_present")]
    columns: Option<Vec<String>>,
}

/// Deserializes a member that is present. `null` is an error here, while serde's default reads it
/// as missing.
fn deserialize_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl RowQuery {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// Returns a text with the usage hint if the body is not a query.
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        let parsed = serde_json::from_slice(body).map(|StrictObject(question)| question);
        parsed.map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                format!(
                    "this is not a query for rows: {}; {HOW}",
                    truncate(&error.to_string())
                )
            }
            _ => format!(
                "this is not valid JSON: {}; {HOW}",
                truncate(&error.to_string())
            ),
        })
    }

    /// Selects the rows, each once and in the table's order.
    ///
    /// # Errors
    ///
    /// Returns an error if a column does not exist.
    pub(super) fn pick(self, table: Arc<Table>) -> Result<PickedRows<Arc<Table>>, String> {
        let columns = self.columns(&table)?;
        let all = table.len();
        let rows = match self.row_ids {
            None => (0..all).collect(),
            Some(ids) => row_indexes(ids, all),
        };
        Ok(PickedRows::new(table, rows, columns))
    }

    /// Returns the indexes of the columns. `_row_id` is always included. An empty list, as the
    /// reference implementation's consumers send it, selects all columns.
    fn columns(&self, table: &Table) -> Result<Vec<usize>, String> {
        let named = self.columns.as_deref().unwrap_or_default();
        if named.is_empty() {
            return Ok((0..table.columns().len()).collect());
        }
        let places = named
            .iter()
            .filter(|name| *name != ROW_ID)
            .map(|name| table.column(name).ok_or(name));
        let mut places = places
            .collect::<Result<Vec<_>, _>>()
            .map_err(|name| unknown(name, table))?;
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }
}

fn row_indexes(ids: Vec<RowId>, all: usize) -> Vec<usize> {
    let rows = ids
        .into_iter()
        .filter_map(|RowId(id)| usize::try_from(id).ok())
        .filter(|row| *row < all);
    let mut rows: Vec<_> = rows.collect();
    // `PickedRows` streams rows in the order of their indexes, which must be the table's.
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn unknown(name: &str, table: &Table) -> String {
    format!(
        "no such column: `{}`; available: {}",
        truncate(name),
        table.columns().join(", ")
    )
}

/// Cuts a consumer's own text to the length that a refusal repeats.
fn truncate(text: &str) -> &str {
    first_chars(text, 100)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn table() -> Arc<Table> {
        let mut table = Table::new(["city", "high"]).unwrap();
        for number in 0..4 {
            table.push([json!("Oslo"), json!(number)]).unwrap();
        }
        Arc::new(table)
    }

    fn picked(question: &str) -> Result<String, String> {
        let mut out = String::new();
        RowQuery::parse(question.as_bytes())?
            .pick(table())?
            .write(&mut out);
        Ok(out)
    }

    #[test]
    fn what_is_left_out_means_all() {
        let all = picked("{}").unwrap();
        assert_eq!(
            serde_json::from_str::<Vec<serde_json::Value>>(&all)
                .unwrap()
                .len(),
            4
        );
        assert_eq!(picked(r#" {"columns": []}"#).unwrap(), all);
        for one in ["1", "1.0"] {
            let question = format!(r#"{{"row_ids": [{one}], "columns": ["high"]}}"#);
            assert_eq!(picked(&question).unwrap(), r#"[{"_row_id":1,"high":1}]"#);
        }
    }

    #[test]
    fn a_list_without_rows_asks_for_none() {
        for none in [
            r#"{"row_ids": []}"#,
            r#"{"row_ids": [4, -1, 9223372036854775807]}"#,
        ] {
            assert_eq!(picked(none).unwrap(), "[]");
        }
    }

    #[test]
    fn a_row_or_column_that_is_asked_for_twice_comes_once() {
        let twice =
            picked(r#"{"row_ids": [2, 0, 2, 2], "columns": ["high", "_row_id", "high"]}"#).unwrap();
        assert_eq!(twice, r#"[{"_row_id":0,"high":0},{"_row_id":2,"high":2}]"#);
    }

    #[test]
    fn what_asks_for_nothing_that_there_is_says_how_to_ask() {
        let cases = [
            "",
            "null",
            "[]",
            "[[0]]",
            "\"row_ids\"",
            "{",
            "{}x",
            r#"{"row_ids": null}"#,
            r#"{"columns": null}"#,
            r#"{"row_ids": 1}"#,
            r#"{"row_ids": ["1"]}"#,
            r#"{"row_ids": [1.5]}"#,
            r#"{"columns": "city"}"#,
            r#"{"rows": [1]}"#,
            r#"{"row_ids": [1], "row_ids": [2]}"#,
        ];
        for case in cases {
            let message = picked(case).unwrap_err();
            assert!(message.ends_with(HOW), "{case}: {message}");
        }
    }

    #[test]
    fn an_unknown_column_is_told_with_those_that_there_are() {
        let message = picked(r#"{"columns": ["city", "hihg"]}"#).unwrap_err();
        assert_eq!(message, "no such column: `hihg`; available: city, high");
        assert!(
            picked(&format!(r#"{{"columns": ["{}"]}}"#, "x".repeat(10_000)))
                .unwrap_err()
                .len()
                < 200
        );
    }
}
