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

/// Tags' names and texts.
pub(super) fn tags(schema: &Value) -> impl Iterator<Item = (&'static str, String)> {
    let tag = |key: &&'static str| schema.get(*key).map(|value| (*key, plain(value)));
    let deprecated = (schema.get("deprecated") == Some(&Value::Bool(true))).then(|| ("deprecated", String::new()));
    LIMITS.iter().filter_map(tag).chain(deprecated)
}

/// A text without quotes: a pattern's backslashes would double in them.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.replace('\n', "\\n"),
        other => other.to_string(),
    }
}
