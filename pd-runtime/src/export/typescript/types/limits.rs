//! What no type can say, as tags of a doc comment: `@minimum 1`.

use serde_json::Value;

/// Keywords whose tags tools of JSON Schema know, too.
const LIMITS: [&str; 15] = [
    "default",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

pub(super) fn tags(schema: &Value) -> Vec<String> {
    let tag = |key: &&str| schema.get(*key).map(|value| format!("@{key} {}", plain(value)));
    let deprecated = (schema.get("deprecated") == Some(&Value::Bool(true))).then(|| "@deprecated".to_owned());
    LIMITS.iter().filter_map(tag).chain(deprecated).collect()
}

/// A text without quotes: a pattern's backslashes would double in them.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.replace('\n', "\\n"),
        other => other.to_string(),
    }
}
