//! Applies the texts of one schema to a compiled schema. Everything else in the schema must be the
//! same.

use super::error::{OverlayErrorKind, kind};
use pd_schema::{number, pointer, subschemas};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// The keywords with values that are texts for readers.
const TEXTS: &[&str] = &["$comment", "description", "title"];
/// The limit on the length of a value in a message, in characters.
const SHOWN_MAX: usize = 72;

/// Copies texts into schemas and collects other differences.
#[derive(Debug, Default)]
pub(super) struct SchemaMerge {
    /// The mistakes, each with a JSON pointer into the file.
    pub(super) mistakes: Vec<(String, OverlayErrorKind)>,
}

impl SchemaMerge {
    /// Returns the compiled schema with the texts of `edited`. `at` is the JSON pointer of
    /// `edited`.
    pub(super) fn schema(
        &mut self,
        at: &str,
        compiled: &JsonObject,
        edited: &JsonObject,
    ) -> JsonObject {
        let mut schema = JsonObject::with_capacity(compiled.len());
        // Exported files have the keywords in compiled order. While the orders agree, no key is
        // looked up.
        let mut next = edited.iter();
        for (key, own) in compiled {
            let other = next
                .next()
                .filter(|(other, _)| *other == key)
                .map(|(_, value)| value);
            match other.or_else(|| edited.get(key)) {
                other if is_text(key) => {
                    schema.extend(other.map(|text| (key.clone(), text.clone())))
                }
                Some(other) => drop(schema.insert(key.clone(), self.keyword(at, key, own, other))),
                None => self.report_difference(
                    at,
                    format!("`{key}` is missing here, which the tool's schema has"),
                ),
            }
        }
        for (key, value) in edited {
            if is_text(key) && !value.is_string() {
                let fault = OverlayErrorKind::WrongType {
                    wanted: "a text",
                    found: kind(value),
                };
                self.mistakes.push((pointer::child(at, key), fault));
            } else if is_text(key) {
                schema.entry(key).or_insert_with(|| value.clone());
            } else if !compiled.contains_key(key) {
                self.report_difference(
                    &pointer::child(at, key),
                    format!("the tool's schema has no `{key}` here"),
                );
            }
        }
        schema
    }

    fn keyword(&mut self, at: &str, key: &str, compiled: &Value, edited: &Value) -> Value {
        let at = pointer::child(at, key);
        match (compiled, edited) {
            (Value::Object(own), Value::Object(other)) if subschemas::holds_named_schemas(key) => {
                Value::Object(self.by_name(&at, own, other))
            }
            (own, other) if subschemas::holds_schemas(key) => self.schemas(&at, own, other),
            (own, other) => self.same(&at, own, other),
        }
    }

    fn by_name(&mut self, at: &str, compiled: &JsonObject, edited: &JsonObject) -> JsonObject {
        for key in edited.keys().filter(|key| !compiled.contains_key(*key)) {
            self.report_difference(
                &pointer::child(at, key),
                format!("the tool's schema has no `{key}` here"),
            );
        }
        let mut members = JsonObject::with_capacity(compiled.len());
        for (key, own) in compiled {
            match edited.get(key) {
                Some(other) => drop(members.insert(
                    key.clone(),
                    self.schemas(&pointer::child(at, key), own, other),
                )),
                None => self.report_difference(
                    at,
                    format!("`{key}` is missing here, which the tool's schema has"),
                ),
            }
        }
        members
    }

    /// Merges a schema, which may be `true` or `false`, or an array of schemas.
    fn schemas(&mut self, at: &str, compiled: &Value, edited: &Value) -> Value {
        match (compiled, edited) {
            (Value::Object(own), Value::Object(other)) => {
                Value::Object(self.schema(at, own, other))
            }
            (Value::Array(own), Value::Array(others)) if own.len() == others.len() => {
                let pairs = own.iter().zip(others).enumerate();
                pairs
                    .map(|(index, (own, other))| {
                        self.schemas(&pointer::child(at, &index.to_string()), own, other)
                    })
                    .collect()
            }
            (own, other) => self.same(at, own, other),
        }
    }

    fn same(&mut self, at: &str, compiled: &Value, edited: &Value) -> Value {
        if !number::are_equal_by(compiled, edited, &is_same_number) {
            self.report_difference(
                at,
                format!("the tool's schema has {} here", truncated(compiled)),
            );
        }
        compiled.clone()
    }

    fn report_difference(&mut self, at: &str, what: String) {
        self.mistakes
            .push((at.to_owned(), OverlayErrorKind::OtherSchema { what }));
    }
}

fn is_text(keyword: &str) -> bool {
    TEXTS.contains(&keyword)
}

/// Renders a value as JSON, truncated for a message.
fn truncated(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Compares two numbers. Floats are also equal if they differ only by the rounding of serde_json's
/// default parser, which may change the last bit.
fn is_same_number(one: &Number, other: &Number) -> bool {
    let is_whole = |number: &Number| number.is_i64() || number.is_u64();
    let reread = || {
        serde_json::from_str::<Number>(&one.to_string())
            .ok()
            .and_then(|number| number.as_f64())
    };
    one == other
        || !(is_whole(one) && is_whole(other))
            && (one.as_f64() == other.as_f64() || reread() == other.as_f64())
}
