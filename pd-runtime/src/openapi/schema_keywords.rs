//! The keywords of a schema for single values: those that it allows, its examples, and its limits.

use super::object::{Object, is_true, text_of};
use serde_json::{Number, Value, json};

/// The most values of an `enum`. A longer list costs more than it says.
const ENUM_MAX: usize = 100;
/// The longest pattern, in bytes.
const PATTERN_MAX: usize = 200;
/// The longest example or default that is shown, in bytes of JSON.
const VALUE_MAX: usize = 200;
/// Limits that are kept as they are if they are numbers.
const LIMITS: [&str; 7] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "multipleOf",
];

/// Adds the values that a schema of these types allows, its default, and one example.
pub(super) fn values(converted: &mut Object, schema: &Object, types: &[String]) {
    let typed = |value: &Value| in_types(value, types);
    let takes_null = types.iter().any(|one| one == "null");
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && (1..=ENUM_MAX).contains(&allowed.len())
    {
        let mut allowed: Vec<Value> = allowed.iter().map(typed).collect();
        // A value that is listed twice makes a schema invalid.
        let mut known = Vec::with_capacity(allowed.len());
        allowed.retain(|value| {
            let is_new = !known.contains(value);
            known.push(value.clone());
            is_new
        });
        if takes_null && !allowed.contains(&Value::Null) {
            allowed.push(Value::Null);
        }
        converted.insert("enum".to_owned(), Value::Array(allowed));
    }
    if let Some(value) = schema.get("const").filter(|value| is_small(value)) {
        converted.insert("const".to_owned(), typed(value));
    }
    let shown = |value: &&Value| !value.is_null() && is_small(value);
    if let Some(value) = schema.get("default").filter(shown) {
        converted.insert("default".to_owned(), typed(value));
    }
    let listed = schema.get("examples").and_then(Value::as_array);
    let example = schema
        .get("example")
        .or_else(|| listed.and_then(|listed| listed.first()));
    // The values of an `enum` are examples themselves.
    if let Some(value) = example.filter(shown)
        && !converted.contains_key("enum")
    {
        converted.insert("examples".to_owned(), json!([typed(value)]));
    }
}

/// Returns a value in a type that the schema has. In YAML, `enum: [1.0, 2.0]` has numbers, and
/// `"1"` is a text, whatever the type beside it is. No call could send such a value.
fn in_types(value: &Value, types: &[String]) -> Value {
    let has = |name: &str| types.iter().any(|one| one == name);
    let has_number = has("number") || has("integer");
    let other = match value {
        Value::Number(number) if !has_number && has("string") => Some(number.to_string().into()),
        Value::Bool(flag) if !has("boolean") && has("string") => Some(flag.to_string().into()),
        Value::String(text) if !has("string") && (has_number || has("boolean")) => {
            serde_json::from_str(text)
                .ok()
                .filter(|read: &Value| match read {
                    Value::Number(number) => has("number") || has("integer") && !number.is_f64(),
                    Value::Bool(_) => has("boolean"),
                    _ => false,
                })
        }
        _ => None,
    };
    other.unwrap_or_else(|| value.clone())
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= VALUE_MAX,
        Value::Array(values) => values.len() <= 20 && value.to_string().len() <= VALUE_MAX,
        Value::Object(members) => members.len() <= 20 && value.to_string().len() <= VALUE_MAX,
        _ => true,
    }
}

/// Adds the limits of numbers, texts and arrays.
pub(super) fn limits(converted: &mut Object, schema: &Object) {
    for key in LIMITS {
        if let Some(limit) = schema.get(key).filter(|limit| limit.is_number()) {
            converted.insert(key.to_owned(), whole(limit));
        }
    }
    // Up to OpenAPI 3.0, these are switches beside the limits.
    for (key, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        match schema.get(key) {
            Some(Value::Bool(true)) => {
                if let Some(value) = converted.shift_remove(limit) {
                    converted.insert(key.to_owned(), value);
                }
            }
            Some(value @ Value::Number(_)) => drop(converted.insert(key.to_owned(), value.clone())),
            _ => {}
        }
    }
    if is_true(schema, "uniqueItems") {
        converted.insert("uniqueItems".to_owned(), true.into());
    }
    if let Some(pattern) = text_of(schema, "pattern").filter(|one| one.len() <= PATTERN_MAX) {
        converted.insert("pattern".to_owned(), pattern.into());
    }
    if let Some(encoding @ "base64") = text_of(schema, "contentEncoding") {
        converted.insert("contentEncoding".to_owned(), encoding.into());
    }
    if let Some(format) = text_of(schema, "format") {
        // The sizes of numbers say nothing to a model.
        if !matches!(format, "int32" | "int64" | "float" | "double") && format.len() <= 40 {
            converted.insert("format".to_owned(), format.into());
        }
    }
}

/// Returns a limit such as `20.0` as the whole number that it is.
fn whole(limit: &Value) -> Value {
    match limit.as_f64() {
        // Exact: both ends are powers of two within what a double has exactly.
        Some(float) if limit.is_f64() && float.fract() == 0.0 && float.abs() < 2_f64.powi(53) => {
            Value::Number(Number::from(float as i64))
        }
        _ => limit.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn values_have_a_type_that_the_schema_has() {
        let kept = json!([1, "1", true, "a", 1.5, null]);
        for (types, sent, expected) in [
            (
                &["string"][..],
                json!([1.0, 2, true, "a"]),
                json!(["1.0", "2", "true", "a"]),
            ),
            (
                &["integer"],
                json!(["1", 2, "1.5", "a"]),
                json!([1, 2, "1.5", "a"]),
            ),
            (&["number"], json!(["1.5"]), json!([1.5])),
            (&["boolean"], json!(["true", "yes"]), json!([true, "yes"])),
            (
                &["string", "integer", "boolean", "null"],
                kept.clone(),
                kept.clone(),
            ),
            (&["object"], json!([1, "a"]), json!([1, "a"])),
        ] {
            let types: Vec<String> = types.iter().map(|one| (*one).to_owned()).collect();
            let first = sent.get(0);
            let schema = json!({ "enum": sent, "default": first, "const": first });
            let mut converted = Object::new();
            values(&mut converted, schema.as_object().unwrap(), &types);
            assert_eq!(converted.get("enum"), Some(&expected), "{types:?}");
            assert_eq!(converted.get("default"), expected.get(0), "{types:?}");
            assert_eq!(converted.get("const"), expected.get(0), "{types:?}");
        }
    }
}
