//! Whether two schemas have no value in common: then `oneOf` says no more than `anyOf`. Where it does not show, they may.

use super::definitions::Definitions;
use serde_json::Value;

/// How deep properties are compared.
const DEPTH: usize = 3;

/// Whether no value fits two of them.
pub(super) fn are_apart(schemas: &[Value], definitions: &Definitions<'_>) -> bool {
    let pairs = schemas
        .iter()
        .enumerate()
        .flat_map(|(index, one)| schemas.iter().skip(index + 1).map(move |other| (one, other)));
    pairs.into_iter().all(|(one, other)| two(one, other, definitions, DEPTH))
}

fn two(one: &Value, other: &Value, definitions: &Definitions<'_>, depth: usize) -> bool {
    let (one, other) = (resolved(one, definitions), resolved(other, definitions));
    if depth == 0 {
        return false;
    }
    if let (Some(ones), Some(others)) = (values(one), values(other)) {
        return !ones.iter().any(|value| others.contains(value));
    }
    match (kinds(one), kinds(other)) {
        (Some(ones), Some(others)) if !ones.iter().any(|kind| others.contains(kind)) => true,
        (Some(ones), Some(others)) if ones == ["object"] && others == ["object"] => {
            lacks(one, other) || lacks(other, one) || differs(one, other, definitions, depth)
        }
        _ => false,
    }
}

fn resolved<'a>(schema: &'a Value, definitions: &Definitions<'a>) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    reference.and_then(|reference| definitions.target(reference)).unwrap_or(schema)
}

/// The values, where they are told one by one.
fn values(schema: &Value) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

/// The kinds of values; every integer is a number.
fn kinds(schema: &Value) -> Option<Vec<&str>> {
    let kind = |kind: &'_ str| match kind {
        "array" => "array",
        "boolean" => "boolean",
        "integer" | "number" => "number",
        "null" => "null",
        "object" => "object",
        _ => "string",
    };
    match (schema.get("type"), values(schema)) {
        (Some(Value::String(name)), _) => Some(vec![kind(name)]),
        (Some(Value::Array(names)), _) => Some(names.iter().filter_map(Value::as_str).map(kind).collect()),
        (_, Some(values)) => Some(values.into_iter().map(|value| kind(kind_of(value))).collect()),
        _ => None,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether `one` refuses a property that `other` asks for.
fn lacks(one: &Value, other: &Value) -> bool {
    let is_closed =
        one.get("additionalProperties") == Some(&Value::Bool(false)) && one.get("patternProperties").is_none();
    let has = |name: &str| one.get("properties").is_some_and(|properties| properties.get(name).is_some());
    is_closed && required(other).any(|name| !has(name))
}

/// Whether a property that both ask for is never the same.
fn differs(one: &Value, other: &Value, definitions: &Definitions<'_>, depth: usize) -> bool {
    let shared = required(one).filter(|name| required(other).any(|also| also == *name));
    shared.into_iter().any(|name| match (property(one, name), property(other, name)) {
        (Some(one), Some(other)) => two(one, other, definitions, depth - 1),
        _ => false,
    })
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
