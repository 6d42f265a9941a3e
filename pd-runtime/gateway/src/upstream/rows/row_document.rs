//! The JSON of a result that contains its rows: `structuredContent`, or the one text that is JSON.

use super::{RowSource, json_rows};
use crate::upstream::rows::json_rows::RowPath;
use pd_runtime::upstream::ResultFrame;
use serde_json::Value;
use std::borrow::Cow;

/// The rows of a result, and where the result has them.
#[derive(Debug)]
pub(super) struct RowDocument<'a> {
    json: Cow<'a, Value>,
    path: RowPath,
    place: RowPlace,
}

#[derive(Debug)]
enum RowPlace {
    /// In `structuredContent`.
    Structured,
    /// In this block of `content`. `structuredContent` may contain the same text under a key.
    Block {
        index: usize,
        text_key: Option<String>,
    },
}

impl<'a> RowDocument<'a> {
    /// Finds the rows of a result. An error has none.
    pub(super) fn find(result: &'a Value, source: &RowSource) -> Option<Self> {
        if result.get("isError").is_some_and(|failed| failed == true) {
            return None;
        }
        let structured = result
            .get("structuredContent")
            .filter(|value| !value.is_null());
        if let Some(json) = structured.filter(|_| source.reads_structured())
            && let Some(path) = source.path_in(json)
        {
            return Some(Self {
                json: Cow::Borrowed(json),
                path,
                place: RowPlace::Structured,
            });
        }
        let (index, text, json) = json_block(result)?;
        let text_key = match structured {
            None => None,
            // Servers that return a text put the same text under a key. Anything else is more than
            // a copy, and would be lost.
            Some(structured) => Some(key_of_copy(structured, text)?),
        };
        let path = source.path_in(&json)?;
        Some(Self {
            json: Cow::Owned(json),
            path,
            place: RowPlace::Block { index, text_key },
        })
    }

    pub(super) fn rows(&self) -> &[Value] {
        json_rows::rows_at(&self.json, &self.path).map_or(&[], Vec::as_slice)
    }

    /// Returns the result without its rows, and without copies of them.
    pub(super) fn result_without_rows(&self, result: &Value) -> Value {
        let mut rest = result.as_object().cloned().unwrap_or_default();
        // It has the rows, or a copy of their text. Its other members are in the frame.
        rest.shift_remove("structuredContent");
        let blocks = blocks(result)
            .iter()
            .enumerate()
            .filter(|(index, block)| !self.is_copy(*index, block));
        rest.insert(
            "content".to_owned(),
            blocks.map(|(_, block)| block.clone()).collect(),
        );
        Value::Object(rest)
    }

    fn is_copy(&self, index: usize, block: &Value) -> bool {
        match &self.place {
            // Servers repeat structured content as a text in JSON (MCP, tools, structured content).
            RowPlace::Structured => text_of(block).is_some_and(|text| parse(text).is_some()),
            RowPlace::Block { index: own, .. } => index == *own,
        }
    }

    /// Returns what surrounds the rows.
    pub(super) fn into_frame(self) -> ResultFrame {
        let members = match json_rows::without(&self.json, &self.path) {
            Value::Object(members) => members,
            _ => Default::default(),
        };
        let text_key = match self.place {
            RowPlace::Structured => None,
            RowPlace::Block { text_key, .. } => text_key,
        };
        ResultFrame { members, text_key }
    }
}

impl RowSource {
    /// Returns whether `structuredContent` may be replaced by an answer without it.
    fn reads_structured(&self) -> bool {
        // If a tool has an output schema, clients such as the SDK for Python refuse a result
        // without `structuredContent`.
        !matches!(
            self,
            Self::Results {
                has_output_schema: true
            }
        )
    }

    fn path_in(&self, json: &Value) -> Option<RowPath> {
        match self {
            Self::OutputSchema(path) => json_rows::rows_at(json, path).map(|_| path.clone()),
            Self::Results { .. } => json_rows::find_rows(json),
        }
    }
}

fn blocks(result: &Value) -> &[Value] {
    result
        .get("content")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn text_of(block: &Value) -> Option<&str> {
    block
        .get("type")
        .filter(|kind| *kind == "text")
        .and_then(|_| block.get("text")?.as_str())
}

/// Parses an object or an array. Other JSON, such as a number, may be prose as well.
fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        serde_json::from_str(text).ok()
    } else {
        None
    }
}

/// Returns the one text block that is JSON.
fn json_block(result: &Value) -> Option<(usize, &str, Value)> {
    let texts = blocks(result).iter().enumerate();
    let mut parsed = texts.filter_map(|(index, block)| {
        let text = text_of(block)?;
        Some((index, text, parse(text)?))
    });
    let first = parsed.next()?;
    // With two such blocks, either can have the rows.
    parsed.next().is_none().then_some(first)
}

/// Returns the only key of structured content that contains nothing but this text.
fn key_of_copy(structured: &Value, text: &str) -> Option<String> {
    let members = structured
        .as_object()
        .filter(|members| members.len() == 1)?;
    members
        .iter()
        .find(|(_, value)| *value == text)
        .map(|(key, _)| key.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    const RESULTS: RowSource = RowSource::Results {
        has_output_schema: false,
    };

    fn text(value: &Value) -> Value {
        json!({ "type": "text", "text": value.to_string() })
    }

    #[test]
    fn copies_of_the_rows_are_removed_and_the_rest_stays() {
        let structured = json!({ "total": 2, "items": [{ "id": 1 }, { "id": 2 }] });
        let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
        let note = json!({ "type": "text", "text": "2 of 9 items" });
        let result = json!({ "content": [text(&structured), note, image], "structuredContent": structured, "_meta": { "x": 1 } });
        for result in [result.clone(), {
            let mut text = result;
            text.as_object_mut().unwrap().remove("structuredContent");
            text
        }] {
            let document = RowDocument::find(&result, &RESULTS).unwrap();
            assert_eq!(document.rows().len(), 2);
            assert_eq!(
                document.result_without_rows(&result),
                json!({ "content": [note, image], "_meta": { "x": 1 } })
            );
            assert_eq!(
                Value::Object(document.into_frame().members),
                json!({ "total": 2 })
            );
        }
    }

    #[test]
    fn a_result_without_rows_is_left_alone() {
        let rows = json!([{ "id": 1 }]);
        for result in [
            json!({ "content": [text(&rows)], "isError": true }),
            json!({ "content": [text(&rows), text(&rows)] }),
            json!({ "content": [text(&rows)], "structuredContent": { "other": 1 } }),
            json!({ "content": [{ "type": "text", "text": "[1] a footnote" }] }),
            json!({ "content": [] }),
            json!({}),
        ] {
            assert!(RowDocument::find(&result, &RESULTS).is_none(), "{result}");
        }
    }

    /// The output schema of such a tool is valid for the answer, too, because it describes a text.
    #[test]
    fn a_text_that_is_repeated_under_a_key_stays_under_it() {
        let rows = json!([{ "id": 1 }]);
        let result = json!({ "content": [text(&rows)], "structuredContent": { "result": rows.to_string() } });
        let source = RowSource::Results {
            has_output_schema: true,
        };
        let document = RowDocument::find(&result, &source).unwrap();
        assert_eq!(document.into_frame().text_key.as_deref(), Some("result"));
        let structured =
            json!({ "content": [text(&rows)], "structuredContent": { "result": rows } });
        assert!(
            RowDocument::find(&structured, &source).is_none(),
            "the answer would not fit the schema"
        );
    }
}
