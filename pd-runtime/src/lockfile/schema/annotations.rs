//! Compares annotations: keywords that describe values without constraining them.

use super::{ChangeEffect, SchemaComparison, SchemaRole, place::SchemaPlace};
use crate::lockfile::render;
use pd_schema::subschemas;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Keywords without an effect on the values that fit.
const ANNOTATIONS: &[&str] = &[
    "$comment",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Returns whether a keyword is an annotation. `x-mcp-header` is not: HTTP clients must send the
/// header that it defines (SEP-2243).
pub(super) fn is_annotation(key: &str) -> bool {
    ANNOTATIONS.contains(&key) || (key.starts_with("x-") && key != "x-mcp-header")
}

/// Returns the schema without annotations.
pub(super) fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let constraints = keywords.iter().filter(|(key, _)| !is_annotation(key));
            let constraints = constraints.map(|(key, value)| match value {
                // A property may have the name of an annotation.
                Value::Object(members) if subschemas::holds_named_schemas(key) => {
                    let by_name = members.iter().map(|(name, one)| (name.clone(), bare(one)));
                    (key.clone(), Value::Object(by_name.collect()))
                }
                // Values are data. A member `title` in them is not an annotation.
                value if matches!(key.as_str(), "const" | "enum") => (key.clone(), value.clone()),
                value => (key.clone(), bare(value)),
            });
            Value::Object(constraints.collect())
        }
        Value::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

impl SchemaComparison {
    pub(super) fn annotations(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        self.default(place, old.get("default"), new.get("default"));
        let all = old
            .keys()
            .chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key in all.filter(|key| is_annotation(key) && *key != "default") {
            let words = match (old.get(key), new.get(key)) {
                (old, new) if old == new => continue,
                (Some(Value::String(old)), Some(Value::String(new))) => {
                    format!("{key} {}", render::texts(old, new))
                }
                (None, Some(_)) => format!("{key} added"),
                (Some(_), None) => format!("{key} removed"),
                _ => format!("{key} changed"),
            };
            self.report(place, words, ChangeEffect::None);
        }
    }

    /// Compares defaults. A changed default changes the meaning of calls that leave the argument
    /// out.
    fn default(&mut self, place: &SchemaPlace, old: Option<&Value>, new: Option<&Value>) {
        if old == new {
            return;
        }
        // No caller relied on a default that the old schema did not name.
        let effect = if self.role == SchemaRole::Arguments && old.is_some() {
            ChangeEffect::Breaks
        } else {
            ChangeEffect::None
        };
        let [before, now] =
            [old, new].map(|value| value.map(|value| format!("default {}", render::value(value))));
        self.report_change(place, before, now, effect);
    }
}
