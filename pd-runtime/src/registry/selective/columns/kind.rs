//! The JSON types of a column's values, as text: `number | null`.

use pd_schema::reader::SchemaRef;
use serde_json::Value;
use std::collections::BTreeSet;

/// The type of unknown values.
pub(super) const ANY: &str = "any";
const OR: &str = " | ";

/// Returns the types that a schema accepts. References are followed up to `depth`.
pub(super) fn render(schema: SchemaRef<'_>, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else {
        return ANY.to_owned();
    };
    match schema.get("type") {
        Some(Value::String(one)) => return one.clone(),
        Some(Value::Array(many)) => return join(&many.iter().map(type_name).collect::<Vec<_>>()),
        _ => {}
    }
    if schema.reference().is_some() {
        return schema
            .target()
            .map_or_else(|| ANY.to_owned(), |target| render(target, depth));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return join(&values.iter().map(type_of).collect::<Vec<_>>());
    }
    if let Some(value) = schema.get("const") {
        return type_of(value).to_owned();
    }
    let branches = schema.any_of().or_else(|| schema.one_of());
    let kinds: Vec<String> = branches
        .into_iter()
        .flatten()
        .map(|branch| render(branch, depth))
        .collect();
    join(&kinds)
}

/// Joins types, each once and sorted. `any` includes all others.
pub(super) fn join(kinds: &[impl AsRef<str>]) -> String {
    let kinds: BTreeSet<&str> = kinds
        .iter()
        .flat_map(|kind| kind.as_ref().split(OR))
        .collect();
    if kinds.is_empty() || kinds.contains(ANY) {
        ANY.to_owned()
    } else {
        Vec::from_iter(kinds).join(OR)
    }
}

fn type_name(name: &Value) -> &str {
    name.as_str().unwrap_or(ANY)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
