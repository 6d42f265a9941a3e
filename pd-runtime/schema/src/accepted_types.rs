//! The JSON types of the values that a schema accepts.

use super::reader::SchemaRef;
use crate::JsonObject;
use serde_json::Value;

/// The most schemas that are examined for one value, with branches inside branches. It bounds
/// hostile or recursive schemas.
const SCHEMAS_MAX: usize = 256;

/// Returns the JSON Schema type of a value. A number without a fraction is an integer.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Null => "null",
    }
}

/// The keywords that constrain each type, grouped by type.
const CONSTRAINTS: [(&str, &str); 19] = [
    ("string", "format"),
    ("string", "minLength"),
    ("string", "maxLength"),
    ("string", "pattern"),
    ("number", "minimum"),
    ("number", "maximum"),
    ("number", "exclusiveMinimum"),
    ("number", "exclusiveMaximum"),
    ("number", "multipleOf"),
    ("array", "prefixItems"),
    ("array", "items"),
    ("array", "minItems"),
    ("array", "maxItems"),
    ("array", "uniqueItems"),
    ("object", "properties"),
    ("object", "required"),
    ("object", "patternProperties"),
    ("object", "additionalProperties"),
    ("object", "unevaluatedProperties"),
];

/// Returns the types that the keywords of a schema constrain. Formally, values of other types
/// match a schema without `type`; authors never mean that.
pub fn constrained_types(schema: SchemaRef<'_>) -> Vec<&'static str> {
    let present = CONSTRAINTS
        .iter()
        .filter(|(_, keyword)| schema.get(keyword).is_some());
    let mut types: Vec<&str> = present.map(|(kind, _)| *kind).collect();
    // `CONSTRAINTS` is grouped by type, so adjacent duplicates are all duplicates.
    types.dedup();
    types
}

/// Returns whether a schema accepts some value of this type. If that cannot be decided, it returns
/// true.
pub fn may_take(schema: SchemaRef<'_>, kind: &str) -> bool {
    // The budget is shared by all branches, since their number grows exponentially with the depth.
    takes_within(schema, kind, &mut SCHEMAS_MAX.clone())
}

fn takes_within(schema: SchemaRef<'_>, kind: &str, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return true;
    };
    *left = rest;
    // `false` accepts nothing; `true`, and anything malformed, may accept everything.
    let schema = schema.resolved();
    let Some(object) = schema.keywords() else {
        return !schema.is_false();
    };
    if !is_typed(object, kind) || !is_listed(object, kind) {
        return false;
    }
    let mut branch = |schema: SchemaRef<'_>| takes_within(schema, kind, left);
    // `oneOf` counts as `anyOf`: whether a second branch accepts a value depends on the value.
    let mut unions = [schema.any_of(), schema.one_of()].into_iter().flatten();
    unions.all(|mut any| any.any(&mut branch))
        && schema.all_of().is_none_or(|mut all| all.all(branch))
}

/// Returns whether `type` allows the type.
fn is_typed(schema: &JsonObject, kind: &str) -> bool {
    // JSON Schema counts integers as numbers.
    let is = |name: &Value| name == kind || (name == "number" && kind == "integer");
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(name) => is(name),
        None => true,
    }
}

/// Returns whether `const` or `enum`, if present, contains a value of the type.
fn is_listed(schema: &JsonObject, kind: &str) -> bool {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => value_is(value, kind),
        (None, Some(Value::Array(values))) => values.iter().any(|value| value_is(value, kind)),
        _ => true,
    }
}

fn value_is(value: &Value, kind: &str) -> bool {
    json_type(value) == kind
}
