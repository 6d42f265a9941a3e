//! Compares types and enumerated values.

use super::{ChangeEffect, SchemaComparison, annotations, keywords, place::SchemaPlace};
use crate::lockfile::render;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Disjoint types, which together cover all values. `number` is split into `integer` and
/// `fraction`, because in JSON Schema every integer is also a number.
const ATOMS: &[&str] = &["null", "boolean", "integer", "fraction", "string", "array", "object"];

/// Returns the atoms that may fit: those of `type`, otherwise those of the listed values or of the
/// branches, otherwise all.
pub(super) fn types(schema: &JsonObject) -> Vec<&'static str> {
    let branches = || schema.get(listing_key(schema)?)?.as_array();
    let declared: Vec<&str> = match (schema.get("type"), listed(schema), branches()) {
        (Some(Value::String(name)), ..) => vec![name],
        (Some(Value::Array(names)), ..) => names.iter().filter_map(Value::as_str).collect(),
        (_, Some(values), _) => values.iter().map(type_of).collect(),
        (_, None, Some(branches)) => branches.iter().flat_map(|branch| types(&keywords(branch))).collect(),
        (_, None, None) => return ATOMS.to_vec(),
    };
    let fits = |atom: &&str| declared.contains(atom) || (declared.contains(&"number") && is_number(atom));
    ATOMS.iter().copied().filter(fits).collect()
}

fn is_number(atom: &str) -> bool {
    matches!(atom, "integer" | "fraction")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "fraction",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the enumerated values: those of `enum`, `const`, or branches that contain nothing else.
pub(super) fn listed(schema: &JsonObject) -> Option<Vec<Value>> {
    let key = listing_key(schema)?;
    let listing = schema.get(key)?;
    if key == "const" {
        // Both keywords apply, so `const` outside of `enum` accepts nothing.
        let is_excluded = schema.get("enum").and_then(Value::as_array).is_some_and(|values| !values.contains(listing));
        return Some(if is_excluded { Vec::new() } else { vec![listing.clone()] });
    }
    let members = listing.as_array()?;
    if key == "enum" {
        return Some(members.clone());
    }
    let values: Option<Vec<_>> = members.iter().map(|branch| listed_only(branch.as_object()?)).collect();
    let values = values?.concat();
    // `oneOf` rejects a value that fits two branches.
    let is_twice = |(at, value): (usize, &Value)| values.iter().skip(at + 1).any(|later| later == value);
    let overlaps = key == "oneOf" && values.iter().enumerate().any(is_twice);
    (!overlaps).then_some(values)
}

/// Returns the values of a branch without other constraints.
fn listed_only(branch: &JsonObject) -> Option<Vec<Value>> {
    let lists = |key: &String| matches!(key.as_str(), "const" | "enum" | "type") || annotations::is_annotation(key);
    let mut values = listed(branch).filter(|_| branch.keys().all(lists))?;
    let types = types(branch);
    values.retain(|value| types.contains(&type_of(value)));
    Some(values)
}

/// Returns the keyword that may enumerate values.
pub(super) fn listing_key(schema: &JsonObject) -> Option<&'static str> {
    let first_of = |keys: &[&'static str]| keys.iter().copied().find(|key| schema.contains_key(*key));
    first_of(&["const", "enum"]).or_else(|| match (first_of(&["oneOf"]), first_of(&["anyOf"])) {
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    })
}

/// Renders types: "string or null".
fn render_types(types: &[&str]) -> String {
    match types.len() {
        0 => return "nothing".to_owned(),
        all if all == ATOMS.len() => return "any type".to_owned(),
        _ => {}
    }
    let is_both = types.contains(&"fraction") && types.contains(&"integer");
    let names = types.iter().filter(|atom| !(is_both && **atom == "integer"));
    names.map(|atom| if *atom == "fraction" { "number" } else { atom }).collect::<Vec<_>>().join(" or ")
}

impl SchemaComparison {
    /// Compares types. Returns whether they have one in common, so that further keywords are worth
    /// comparing.
    pub(super) fn types(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) -> bool {
        let (old, new) = (types(old), types(new));
        let (lost, won) = (old.iter().any(|atom| !new.contains(atom)), new.iter().any(|atom| !old.contains(atom)));
        let effect = match (lost, won) {
            (false, false) => return true,
            (true, false) => ChangeEffect::Narrows,
            (false, true) => ChangeEffect::Widens,
            (true, true) => ChangeEffect::Breaks,
        };
        self.report(place, format!("{} → {}", render_types(&old), render_types(&new)), effect);
        old.iter().any(|atom| new.contains(atom))
    }

    pub(super) fn values(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        let all = |values: &[Value]| values.iter().map(render::value).collect::<Vec<_>>().join(", ");
        match (listed_beside(old, new), listed_beside(new, old)) {
            (Some(old), Some(new)) => {
                for value in old.iter().filter(|value| !new.contains(value)) {
                    self.report(place, format!("value {} removed", render::value(value)), ChangeEffect::Narrows);
                }
                for value in new.iter().filter(|value| !old.contains(value)) {
                    self.report(place, format!("value {} added", render::value(value)), ChangeEffect::Widens);
                }
            }
            (None, Some(new)) => self.report(place, format!("now one of {}", all(&new)), ChangeEffect::Narrows),
            (Some(old), None) => self.report(place, format!("no longer one of {}", all(&old)), ChangeEffect::Widens),
            (None, None) => {}
        }
    }
}

/// Returns the enumerated values, unless they are branches and the other schema has branches of
/// another kind, which `branches` compares.
pub(super) fn listed_beside(schema: &JsonObject, other: &JsonObject) -> Option<Vec<Value>> {
    let has_branches = |schema: &JsonObject| schema.contains_key("oneOf") || schema.contains_key("anyOf");
    let by_branches = matches!(listing_key(schema), Some("oneOf" | "anyOf"));
    let is_comparable = !by_branches || !has_branches(other) || listed(other).is_some();
    listed(schema).filter(|_| is_comparable)
}
