//! Compares types and enumerated values.

use super::{ChangeEffect, SchemaComparison, annotations, keywords, place::SchemaPlace};
use crate::lockfile::render;
use pd_schema::reader::{SchemaRef, schema_part::BranchKeyword};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Disjoint types, which together cover all values. `number` is split into `integer` and
/// `fraction`, because in JSON Schema every integer is also a number.
const ATOMS: &[&str] = &[
    "null", "boolean", "integer", "fraction", "string", "array", "object",
];

/// Returns the atoms that may fit. They come from `type`, otherwise from the listed values or from
/// the branches. Without any of them, all atoms fit.
pub(super) fn types(schema: &JsonObject) -> Vec<&'static str> {
    let branches = match listing_keyword(schema) {
        Some(ListingKeyword::Branches(keyword)) => branches_of(keyword, schema),
        _ => None,
    };
    let declared: Vec<&str> = match (schema.get("type"), listed(schema), branches) {
        (Some(Value::String(name)), ..) => vec![name],
        (Some(Value::Array(names)), ..) => names.iter().filter_map(Value::as_str).collect(),
        (_, Some(values), _) => values.iter().map(type_of).collect(),
        (_, None, Some(branches)) => branches
            .iter()
            .flat_map(|branch| types(&keywords(branch)))
            .collect(),
        (_, None, None) => return ATOMS.to_vec(),
    };
    let numbers_fit = declared.contains(&"number");
    ATOMS
        .iter()
        .copied()
        .filter(|atom| declared.contains(atom) || (numbers_fit && is_number(atom)))
        .collect()
}

fn is_number(atom: &str) -> bool {
    matches!(atom, "integer" | "fraction")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        // JSON Schema 2020-12, validation, section 6.1.1: 1.0 is an integer.
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            "integer"
        }
        Value::Number(_) => "fraction",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the enumerated values, from `enum`, `const`, or branches that contain nothing else.
pub(super) fn listed(schema: &JsonObject) -> Option<Vec<Value>> {
    let keyword = match listing_keyword(schema)? {
        ListingKeyword::Const => return listed_constant(schema),
        ListingKeyword::Enum => return schema.get("enum")?.as_array().cloned(),
        ListingKeyword::Branches(keyword) => keyword,
    };
    let values: Option<Vec<_>> = branches_of(keyword, schema)?
        .iter()
        .map(|branch| listed_only(branch.as_object()?))
        .collect();
    let values = values?.concat();
    // `oneOf` rejects a value that fits two branches.
    let overlaps = keyword == BranchKeyword::OneOf && has_duplicate(&values);
    (!overlaps).then_some(values)
}

/// Returns the value of `const`, unless `enum` excludes it.
fn listed_constant(schema: &JsonObject) -> Option<Vec<Value>> {
    let constant = schema.get("const")?;
    // Both keywords apply, so `const` outside of `enum` accepts nothing.
    let is_excluded = schema
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| !values.contains(constant));
    Some(if is_excluded {
        Vec::new()
    } else {
        vec![constant.clone()]
    })
}

/// Returns the branches of a keyword.
pub(super) fn branches_of(keyword: BranchKeyword, schema: &JsonObject) -> Option<&[Value]> {
    let branches = SchemaRef::document(schema).branches_of(keyword)?;
    Some(branches.as_values())
}

fn has_duplicate(values: &[Value]) -> bool {
    values
        .iter()
        .enumerate()
        .any(|(at, value)| values.iter().skip(at + 1).any(|later| later == value))
}

/// Returns the values of a branch without other constraints.
fn listed_only(branch: &JsonObject) -> Option<Vec<Value>> {
    let mut values = listed(branch).filter(|_| branch.keys().all(|key| lists_values(key)))?;
    // `type` applies, too: a listed value of another type fits nothing.
    let types = types(branch);
    values.retain(|value| types.contains(&type_of(value)));
    Some(values)
}

fn lists_values(key: &str) -> bool {
    matches!(key, "const" | "enum" | "type") || annotations::is_annotation(key)
}

/// A keyword that may enumerate values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingKeyword {
    Const,
    Enum,
    /// `oneOf` or `anyOf`.
    Branches(BranchKeyword),
}

/// Returns the keyword that may enumerate values.
pub(super) fn listing_keyword(schema: &JsonObject) -> Option<ListingKeyword> {
    if schema.contains_key("const") {
        return Some(ListingKeyword::Const);
    }
    if schema.contains_key("enum") {
        return Some(ListingKeyword::Enum);
    }
    let has = |keyword| branches_of(keyword, schema).is_some();
    match (has(BranchKeyword::OneOf), has(BranchKeyword::AnyOf)) {
        (true, false) => Some(ListingKeyword::Branches(BranchKeyword::OneOf)),
        (false, true) => Some(ListingKeyword::Branches(BranchKeyword::AnyOf)),
        // If both are present, both apply, so neither alone has the values.
        _ => None,
    }
}

/// Renders types: "string or null".
fn render_types(types: &[&str]) -> String {
    match types.len() {
        0 => return "nothing".to_owned(),
        all if all == ATOMS.len() => return "any type".to_owned(),
        _ => {}
    }
    let is_both = types.contains(&"fraction") && types.contains(&"integer");
    let names = types
        .iter()
        .filter(|atom| !(is_both && **atom == "integer"));
    names
        .map(|atom| if *atom == "fraction" { "number" } else { atom })
        .collect::<Vec<_>>()
        .join(" or ")
}

impl SchemaComparison {
    /// Compares types. Returns whether they have one in common, so that further keywords are worth
    /// comparing.
    pub(super) fn types(
        &mut self,
        place: &SchemaPlace,
        old: &JsonObject,
        new: &JsonObject,
    ) -> bool {
        let old = types(old);
        let new = types(new);
        let lost = old.iter().any(|atom| !new.contains(atom));
        let won = new.iter().any(|atom| !old.contains(atom));
        let effect = match (lost, won) {
            (false, false) => return true,
            (true, false) => ChangeEffect::Narrows,
            (false, true) => ChangeEffect::Widens,
            (true, true) => ChangeEffect::Breaks,
        };
        self.report(
            place,
            format!("{} → {}", render_types(&old), render_types(&new)),
            effect,
        );
        old.iter().any(|atom| new.contains(atom))
    }

    pub(super) fn values(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        match (listed_beside(old, new), listed_beside(new, old)) {
            (Some(old), Some(new)) => {
                for value in old.iter().filter(|value| !new.contains(value)) {
                    self.report(
                        place,
                        format!("value {} removed", render::value(value)),
                        ChangeEffect::Narrows,
                    );
                }
                for value in new.iter().filter(|value| !old.contains(value)) {
                    self.report(
                        place,
                        format!("value {} added", render::value(value)),
                        ChangeEffect::Widens,
                    );
                }
            }
            (None, Some(new)) => self.report(
                place,
                format!("now one of {}", render_values(&new)),
                ChangeEffect::Narrows,
            ),
            (Some(old), None) => self.report(
                place,
                format!("no longer one of {}", render_values(&old)),
                ChangeEffect::Widens,
            ),
            (None, None) => {}
        }
    }
}

fn render_values(values: &[Value]) -> String {
    values
        .iter()
        .map(render::value)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the enumerated values, unless they are branches and the other schema has branches of
/// another kind, which `branches` compares.
pub(super) fn listed_beside(schema: &JsonObject, other: &JsonObject) -> Option<Vec<Value>> {
    let by_branches = matches!(listing_keyword(schema), Some(ListingKeyword::Branches(_)));
    let has_branches = SchemaRef::document(other).has_alternatives();
    let is_comparable = !by_branches || !has_branches || listed(other).is_some();
    listed(schema).filter(|_| is_comparable)
}
