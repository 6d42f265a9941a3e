//! The types of a schema.

use super::object::{Object, is_true};
use serde_json::Value;

const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// Returns the types of a schema: its own, or those that its other keywords imply.
pub(super) fn types_of(schema: &Object) -> Vec<String> {
    let known = |name: &str| match name {
        // Swagger 2.0 has files in forms.
        "file" => Some("string".to_owned()),
        name => TYPES.contains(&name).then(|| name.to_owned()),
    };
    let mut types: Vec<String> = match schema.get("type") {
        Some(Value::String(name)) => known(name).into_iter().collect(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|name| known(name.as_str()?))
            .collect(),
        _ => Vec::new(),
    };
    if types.is_empty() {
        types.extend(implied_type(schema).map(str::to_owned));
    }
    let is_null = |one: &String| one == "null";
    if is_true(schema, "nullable") && !types.is_empty() && !types.iter().any(is_null) {
        types.push("null".to_owned());
    }
    types
}

fn implied_type(schema: &Object) -> Option<&'static str> {
    let has = |key: &str| schema.contains_key(key);
    if has("properties") || has("additionalProperties") {
        return Some("object");
    }
    if has("items") {
        return Some("array");
    }
    if has("pattern") || has("minLength") || has("maxLength") || has("format") {
        return Some("string");
    }
    let values = schema.get("enum").and_then(Value::as_array);
    let first = values
        .and_then(|values| values.iter().find(|value| !value.is_null()))
        .or(schema.get("const"))?;
    Some(match first {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        _ => return None,
    })
}

/// Returns whether no value of these types has parts.
pub(super) fn is_scalar(types: &[String]) -> bool {
    !types.iter().any(|one| one == "object" || one == "array")
}
