//! The limits that a type cannot express, as tags of a doc comment: `@minimum 1`.

use pd_schema::reader::SchemaRef;
use serde_json::Value;

/// Keywords with a tag that generators of JSON Schema from TypeScript read, too.
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

/// Returns the names and texts of the tags.
pub(super) fn tags(schema: SchemaRef<'_>) -> impl Iterator<Item = (&'static str, String)> {
    let limits = LIMITS
        .iter()
        .filter_map(move |key| Some((*key, plain(schema.get(key)?))));
    let deprecated = (schema.get("deprecated") == Some(&Value::Bool(true)))
        .then(|| ("deprecated", String::new()));
    limits.chain(deprecated)
}

/// Renders a text without quotes, because quoting would double the backslashes of a pattern.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.replace('\n', "\\n"),
        other => other.to_string(),
    }
}
