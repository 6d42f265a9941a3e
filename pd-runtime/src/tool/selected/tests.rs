//! Tests of chosen rows that are joined with a body in the call. `selective::fetch::tests` covers
//! fetched bodies.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::{Selected, body::RowScanner};
use crate::{CallContext, ToolError, tool::argument::Argument};
use futures::{StreamExt, TryStreamExt};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Alert {
    event: String,
    severity: Option<u8>,
}

fn alert(event: &str, severity: impl Into<Option<u8>>) -> Alert {
    Alert {
        event: event.to_owned(),
        severity: severity.into(),
    }
}

fn taken<T: DeserializeOwned + JsonSchema>(arguments: &Value) -> Result<Selected<T>, ToolError> {
    Selected::take(&mut arguments.as_object().unwrap().clone(), "alerts")
}

async fn rows(arguments: Value) -> Result<Vec<Alert>, ToolError> {
    taken(&arguments)?.rows(&CallContext::detached()).await
}

#[tokio::test]
async fn rows_are_joined_by_their_number_in_the_order_they_were_chosen() {
    let joined = rows(json!({
        "abstract_data": r#"[{"_row_id": 7, "event": "Gale"}, {"event": "Flood", "_row_id": 2.0}, {"_row_id": 4, "event": "Heat"}]"#,
        "body_data": r#"[{"_row_id": 2, "event": "overridden", "severity": 4, "more": [{}]}, {"_row_id": 3}, {"_row_id": 4}, {"_row_id": 7, "severity": 1.0}]"#,
    }));
    assert_eq!(
        joined.await.unwrap(),
        [alert("Gale", 1), alert("Flood", 4), alert("Heat", None)]
    );
}

#[tokio::test]
async fn what_was_seen_is_enough_where_there_is_no_rest() {
    let chosen = json!({ "abstract_data": r#"[{"_row_id": 0, "event": "Gale"}]"#, "body_data": " ", "resource_url": null });
    assert_eq!(rows(chosen).await.unwrap(), [alert("Gale", None)]);
}

#[tokio::test]
async fn columns_are_called_as_we_call_them() {
    let renamed = json!({
        "abstract_data": r#"[{"_row_id": 0, "type": "Gale"}]"#,
        "body_data": r#"[{"_row_id": 0, "type": "x", "level": 3}]"#,
        "column_mapping": r#"{"type": "event", "level": "severity"}"#,
    });
    assert_eq!(rows(renamed).await.unwrap(), [alert("Gale", 3)]);
}

#[tokio::test]
async fn a_row_may_be_anything() {
    let arguments = json!({ "abstract_data": r#"[{"_row_id": 0, "a": 1}]"#, "body_data": r#"[{"_row_id": 0, "b": {"c": 2}}]"# });
    let rows = taken::<Value>(&arguments)
        .unwrap()
        .rows(&CallContext::detached())
        .await
        .unwrap();
    assert_eq!(rows, [json!({"a": 1, "b": {"c": 2}})]);
    // A selective tool may return these rows.
    assert_eq!(crate::Table::from_rows(rows).unwrap().columns(), ["a", "b"]);
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Strict {
    event: String,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Numbered<T> {
    _row_id: u64,
    event: T,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Flat {
    _row_id: u64,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

/// Returns row 6 as this type.
async fn row_6<T: DeserializeOwned + JsonSchema>() -> Result<T, ToolError> {
    let arguments = json!({ "abstract_data": r#"[{"_row_id": 6, "event": "Gale"}]"# });
    taken::<T>(&arguments)?
        .rows(&CallContext::detached())
        .await
        .map(|rows| rows.into_iter().next().unwrap())
}

#[tokio::test]
async fn the_number_is_written_where_there_is_a_column_for_it() {
    let event = || "Gale".to_owned();
    let cells = || BTreeMap::from([("event".to_owned(), event())]);
    assert_eq!(row_6::<BTreeMap<String, String>>().await.unwrap(), cells());
    assert_eq!(row_6::<Strict>().await.unwrap(), Strict { event: event() });
    assert_eq!(
        row_6::<Numbered<String>>().await.unwrap(),
        Numbered {
            _row_id: 6,
            event: event()
        }
    );
    assert_eq!(
        row_6::<Flat>().await.unwrap(),
        Flat {
            _row_id: 6,
            others: cells()
        }
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    High,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "it is never made")]
struct Patient {
    age: u8,
    level: Level,
    visits: Vec<u32>,
    note: Option<Word>,
}

#[derive(Debug, PartialEq)]
struct Word;

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom(String::deserialize(deserializer)?))
    }
}

impl JsonSchema for Word {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Word".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[tokio::test]
async fn what_does_not_fit_is_told_without_a_value() {
    let secret = "S3CRET".repeat(1000);
    let rest = json!({ "_row_id": 0, "age": 3, "level": "low", "visits": [] });
    let wide = format!("c{}", "o".repeat(1000));
    let cases = [
        (
            "age",
            json!(secret),
            "column `age`: expected u8, found a string;",
        ),
        (
            "age",
            json!(777_555),
            "column `age`: expected u8, found an integer that is not one;",
        ),
        (
            "age",
            json!({ &secret: 1 }),
            "column `age`: expected u8, found an object;",
        ),
        (
            "level",
            json!(secret),
            "column `level`: expected `low`, `high`, found another name;",
        ),
        (
            "visits",
            json!([1, secret]),
            "column `visits`: expected u32, found a string;",
        ),
        (
            "visits",
            json!(secret),
            "column `visits`: expected a sequence, found a string;",
        ),
        ("note", json!(secret), "column `note`: its type refuses it;"),
        (
            wide.as_str(),
            json!(secret),
            "expected `age`, `level`, `visits`, `note` alone, found another field;",
        ),
    ];
    for (column, value, said) in cases {
        let mut row = rest.clone();
        row.as_object_mut()
            .unwrap()
            .insert(column.to_owned(), value);
        let arguments = json!({ "abstract_data": r#"[{"_row_id": 0}]"#, "body_data": json!([row]).to_string() });
        let error = taken::<Patient>(&arguments)
            .unwrap()
            .rows(&CallContext::detached())
            .await
            .unwrap_err();
        assert_eq!(error.code, ToolError::INVALID_ARGUMENTS);
        assert!(error.message.contains(said), "{error}");
        assert!(
            !error.message.contains("S3CRET") && !error.message.contains("777"),
            "{error}"
        );
        assert!(error.message.len() < 500, "{error}");
    }
}

#[tokio::test]
async fn none_chosen_asks_for_nothing() {
    let none =
        json!({ "abstract_data": "[]", "resource_url": "http://nowhere.invalid/s2sp/data/x" });
    assert_eq!(rows(none).await.unwrap(), []);
}

#[tokio::test]
async fn a_stream_follows_the_rest() {
    let arguments = json!({
        "abstract_data": r#"[{"_row_id": 7, "event": "Gale"}, {"_row_id": 9, "event": "Heat"}, {"_row_id": 2, "event": "Flood"}]"#,
        "body_data": r#"[{"_row_id": 2, "severity": 4}, {"_row_id": 2, "severity": 5}, {"_row_id": 9}, {"_row_id": 7, "severity": 1}]"#,
    });
    let stream = taken(&arguments).unwrap().stream(&CallContext::detached());
    assert_eq!(
        stream.try_collect::<Vec<Alert>>().await.unwrap(),
        [alert("Flood", 4), alert("Heat", None), alert("Gale", 1)]
    );
}

#[tokio::test]
async fn a_stream_ends_with_its_first_error() {
    let arguments = json!({ "abstract_data": r#"[{"_row_id": 7, "event": "Gale"}]"#, "body_data": r#"[{"severity": 4}, {"_row_id": 7}]"# });
    let mut stream = Box::pin(
        taken::<Alert>(&arguments)
            .unwrap()
            .stream(&CallContext::detached()),
    );
    assert!(stream.next().await.unwrap().is_err());
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn mistakes_say_what_to_do() {
    let gale = r#"[{"_row_id": 0, "event": "Gale"}]"#;
    let cases = [
        (
            json!({}),
            "argument `abstract_data` does not fit: it is missing; send the chosen rows",
        ),
        (
            json!({"abstract_data": [{"_row_id": 0}]}),
            "`abstract_data` does not fit: it is not a string",
        ),
        (
            json!({"abstract_data": "{"}),
            "it is not a JSON array of rows",
        ),
        (
            json!({"abstract_data": "[{\"_row_id\": 0}, 3]"}),
            "row 1, counted from 0, invalid type: integer `3`",
        ),
        (
            json!({"abstract_data": "[{\"event\": \"Gale\"}]"}),
            "row 0, counted from 0, has no `_row_id`; send each row with",
        ),
        (
            json!({"abstract_data": "[{\"_row_id\": \"0\"}]"}),
            "has a `_row_id` that is not a whole number",
        ),
        (
            json!({"abstract_data": "[{\"_row_id\": 1}, {\"_row_id\": 0}, {\"_row_id\": 1}]"}),
            "two rows with `_row_id` 1",
        ),
        (
            json!({"abstract_data": gale, "body_data": "[]", "resource_url": "http://x"}),
            "send the one that the other tool gave",
        ),
        (
            json!({"abstract_data": gale, "body_data": "{}"}),
            "`body_data` does not fit: it ends before its rows do",
        ),
        (
            json!({"abstract_data": gale, "body_data": "[1]"}),
            "one of its rows is not an object",
        ),
        (
            json!({"abstract_data": gale, "body_data": "[{}]"}),
            "one of its rows has no `_row_id`",
        ),
        (
            json!({"abstract_data": gale, "body_data": "[{\"_row_id\": 0}"}),
            "it ends before its rows do",
        ),
        (
            json!({"abstract_data": gale, "column_mapping": "[]"}),
            "it is not a JSON object of names",
        ),
        (
            json!({"abstract_data": gale, "column_mapping": "{\"a\": \"event\", \"b\": \"event\"}"}),
            "two columns one, `event`",
        ),
        (
            json!({"abstract_data": gale, "column_mapping": "{\"_row_id\": \"id\"}"}),
            "`_row_id` is a row's number",
        ),
        (
            json!({"abstract_data": gale, "body_data": "[{\"_row_id\": 0, \"type\": 1}]", "column_mapping": "{\"type\": \"event\"}"}),
            "row 0 has two columns that become `event`",
        ),
        (
            json!({"abstract_data": gale, "column_mapping": "{\"type\": \"evnt\"}"}),
            "it maps to `evnt`, which is not a column of this tool; its columns are `event`, `severity`",
        ),
        (
            json!({"abstract_data": "[{\"_row_id\": 3}, {\"_row_id\": 0}, {\"_row_id\": 2}]", "body_data": "[{\"_row_id\": 2, \"event\": \"Heat\"}]"}),
            "the other tool's rows have none with `_row_id` 0, 3; send rows of its `abstract`",
        ),
        (
            json!({"abstract_data": "[{\"_row_id\": 5, \"type\": \"Gale\"}]"}),
            "row 5 does not fit: missing field `event`; it has `type`, and nothing of it beside `abstract_data`",
        ),
    ];
    for (arguments, said) in cases {
        let error = rows(arguments.clone()).await.unwrap_err();
        assert_eq!(error.code, ToolError::INVALID_ARGUMENTS, "{error}");
        assert!(error.message.contains(said), "{arguments}\n{error}");
    }
}

#[test]
fn rows_are_found_however_they_arrive() {
    let first = r#"{"a":"]}\"{","b":[{}]}"#;
    let second = r#"{ "c" : "body" }"#;
    for text in [
        format!("[{first}, {second}]"),
        format!(
            r#" {{"note": "body", "x": {{"body": [1]}}, "body" : [{first},{second}], "body": [3], "total_rows": 2}}"#
        ),
    ] {
        for size in 1..text.len() {
            let mut body = RowScanner::default();
            let mut found = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                assert!(!body.is_complete());
                body.read(piece, |row| found.push(String::from_utf8(row).unwrap()))
                    .unwrap();
            }
            assert!(body.is_complete(), "{text} in pieces of {size}");
            assert_eq!(found, [first, second]);
        }
    }
}

#[test]
fn what_holds_no_rows_is_refused() {
    let read = |text: &str| {
        let mut body = RowScanner::default();
        body.read(text.as_bytes(), |_| {})
            .map(|()| body.is_complete())
    };
    assert_eq!(read(r#"{"error": "no"}"#), Ok(false));
    assert_eq!(read(r#"{"body": null}"#), Ok(false));
    assert_eq!(read("[]"), Ok(true));
    for bad in ["<html>", "[] []", "[[]]", "nul", r#"{"body": [null]}"#] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_row_that_never_ends_is_not_kept() {
    let mut body = RowScanner::default();
    body.read(b"[{\"a\":\"", |_| {}).unwrap();
    let piece = vec![b'x'; 1024 * 1024];
    assert!((0..4).any(|_| body.read(&piece, |_| {}).is_err()));
}

#[test]
fn debug_shows_no_data() {
    let arguments = json!({ "abstract_data": r#"[{"_row_id": 0, "event": "secret"}]"#, "resource_url": "http://x/token" });
    assert_eq!(
        format!("{:?}", taken::<Alert>(&arguments).unwrap()),
        "Selected { rows: 1, .. }"
    );
}

#[tokio::test]
async fn a_number_that_python_does_not_know_is_null() {
    let arguments = json!({ "abstract_data": r#"[{"_row_id": 0, "n": NaN}]"#, "body_data": r#"[{"_row_id":0,"m":-Infinity}]"# });
    let rows = taken::<Value>(&arguments)
        .unwrap()
        .rows(&CallContext::detached())
        .await
        .unwrap();
    assert_eq!(
        rows.iter()
            .map(|row| (&row["n"], &row["m"]))
            .collect::<Vec<_>>(),
        [(&Value::Null, &Value::Null)]
    );
}
