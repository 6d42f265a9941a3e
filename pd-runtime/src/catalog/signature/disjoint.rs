//! Decides whether schemas are disjoint. `oneOf` over disjoint schemas means the same as `anyOf`.
//! If disjointness is not evident, the answer is no.

use pd_schema::reader::SchemaRef;
use serde_json::Value;
use std::collections::HashSet;

/// The depth to which properties are compared.
const DEPTH: usize = 3;

/// Returns whether no value matches two of the schemas.
pub(super) fn all_disjoint<'a>(schemas: impl Iterator<Item = SchemaRef<'a>>) -> bool {
    // Resolved once, because each schema is compared with all others.
    let schemas: Vec<_> = schemas.map(SchemaRef::resolved).collect();
    // Every pair is compared only where this linear check finds no tag.
    if have_distinct_tags(&schemas) {
        return true;
    }
    let pairs = schemas.iter().enumerate().flat_map(|(index, one)| {
        schemas
            .iter()
            .skip(index + 1)
            .map(move |other| (*one, *other))
    });
    pairs
        .into_iter()
        .all(|(one, other)| are_disjoint(one, other, DEPTH))
}

/// Returns whether all schemas require one property and each gives it another constant string, as
/// serde's tagged enums do.
fn have_distinct_tags(schemas: &[SchemaRef<'_>]) -> bool {
    let Some(first) = schemas.first() else {
        return false;
    };
    first.required().any(|name| {
        let mut tags = HashSet::new();
        schemas
            .iter()
            .all(|schema| tag(*schema, name).is_some_and(|tag| tags.insert(tag)))
    })
}

/// Returns the constant string of a required property of an object.
fn tag<'a>(schema: SchemaRef<'a>, name: &str) -> Option<&'a str> {
    let is_required =
        schema.get("type")? == "object" && schema.required().any(|other| other == name);
    is_required
        .then(|| schema.property(name)?.get("const")?.as_str())
        .flatten()
}

/// Compares two resolved schemas.
fn are_disjoint(one: SchemaRef<'_>, other: SchemaRef<'_>, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    // Listed values are exact, so two lists are disjoint if they share no value.
    if let (Some(ones), Some(others)) = (values(one), values(other)) {
        return !ones.iter().any(|value| others.contains(value));
    }
    match (kinds(one), kinds(other)) {
        // No common type means no common value. Two object types need a closer look.
        (Some(ones), Some(others)) if !ones.iter().any(|kind| others.contains(kind)) => true,
        (Some(ones), Some(others)) if ones == ["object"] && others == ["object"] => {
            lacks(one, other) || lacks(other, one) || differs(one, other, depth)
        }
        _ => false,
    }
}

/// Returns the values of a schema that lists them by `const` or `enum`.
fn values(schema: SchemaRef<'_>) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

/// Returns the types of a schema's values. `integer` counts as `number`, because every integer is a
/// number.
fn kinds(schema: SchemaRef<'_>) -> Option<Vec<&str>> {
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
        (Some(Value::Array(names)), _) => {
            Some(names.iter().filter_map(Value::as_str).map(kind).collect())
        }
        (_, Some(values)) => Some(
            values
                .into_iter()
                .map(|value| kind(kind_of(value)))
                .collect(),
        ),
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

/// Returns whether `one` refuses a property that `other` requires.
fn lacks(one: SchemaRef<'_>, other: SchemaRef<'_>) -> bool {
    one.is_closed() && other.required().any(|name| one.property(name).is_none())
}

/// Returns whether some property that both schemas require has disjoint schemas, such as a tag.
fn differs(one: SchemaRef<'_>, other: SchemaRef<'_>, depth: usize) -> bool {
    let mut shared = one
        .required()
        .filter(|name| other.required().any(|also| also == *name));
    shared.any(|name| match (one.property(name), other.property(name)) {
        (Some(one), Some(other)) => are_disjoint(one.resolved(), other.resolved(), depth - 1),
        _ => false,
    })
}
