//! Compares `anyOf`, `oneOf` and `allOf`. A branch narrows or widens the whole in the same
//! direction. The branches of a `oneOf` that may overlap are the exception.

use super::{
    ChangeEffect, SchemaComparison,
    annotations::{self, bare},
    place::SchemaPlace,
    refers,
    values::{ListingKeyword, branches_of, listed, listed_beside, listing_keyword, types},
};
use crate::lockfile::render;
use pd_schema::reader::{
    SchemaRef,
    schema_part::{BranchKeyword, SchemaPart},
};
use rmcp::model::JsonObject;
use serde_json::Value;

impl SchemaComparison {
    /// Compares schemas that consist of a choice and nothing else. A plain schema compared with one
    /// counts as a choice with a single branch.
    pub(super) fn alternatives(
        &mut self,
        place: &SchemaPlace,
        old: &JsonObject,
        new: &JsonObject,
    ) -> bool {
        // Two lists of values are compared value by value, which reports more than forms do.
        let old_listed = listed(old).is_some();
        let new_listed = listed(new).is_some();
        match (choice(old), choice(new)) {
            (Some(old), Some(new)) if !(old_listed && new_listed) => {
                self.choices(place, &old, &new)
            }
            (Some(old), None) if !old_listed && is_plain(new) => {
                self.choices(place, &old, &[alone(new)])
            }
            (None, Some(new)) if !new_listed && is_plain(old) => {
                self.choices(place, &[alone(old)], &new)
            }
            _ => return false,
        }
        true
    }

    pub(super) fn branches(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        use BranchKeyword::{AllOf, AnyOf, OneOf};
        for keyword in [AnyOf, OneOf, AllOf] {
            let key = keyword.as_str();
            match (
                unlisted_branches(keyword, old, new),
                unlisted_branches(keyword, new, old),
            ) {
                (None, None) => {}
                (None, Some(new)) => self.report(
                    place,
                    format!("now `{key}` of {}", count_forms(new)),
                    ChangeEffect::Narrows,
                ),
                (Some(old), None) => self.report(
                    place,
                    format!("no longer `{key}` of {}", count_forms(old)),
                    ChangeEffect::Widens,
                ),
                (Some(old), Some(new)) => self.compare_branches(place, keyword, old, new),
            }
        }
    }

    fn compare_branches(
        &mut self,
        place: &SchemaPlace,
        keyword: BranchKeyword,
        old: &[Value],
        new: &[Value],
    ) {
        let key = keyword.as_str();
        // In an overlapping `oneOf` a branch that widens may reject values of another branch, so no
        // direction is certain.
        let may_overlap =
            keyword == BranchKeyword::OneOf && !(are_disjoint(old) && are_disjoint(new));
        let is_same = old.iter().map(bare).eq(new.iter().map(bare));
        match keyword {
            // A value must fit all branches, so a removed one widens.
            BranchKeyword::AllOf => self.compare_pairs(
                place,
                old,
                new,
                (ChangeEffect::Widens, ChangeEffect::Narrows),
            ),
            _ if !may_overlap => self.choices(place, old, new),
            _ if !is_same => self.report(
                place,
                format!("`{key}` of {} → {}", count_forms(old), count_forms(new)),
                ChangeEffect::Unclear,
            ),
            _ if self.definitions_differ && new.iter().any(refers) => {
                self.report(
                    place,
                    "one of its forms refers to a type that changed",
                    ChangeEffect::Unclear,
                );
            }
            _ => self.compare_pairs(
                place,
                old,
                new,
                (ChangeEffect::Unclear, ChangeEffect::Unclear),
            ),
        }
    }

    fn choices(&mut self, place: &SchemaPlace, old: &[Value], new: &[Value]) {
        self.compare_pairs(
            place,
            old,
            new,
            (ChangeEffect::Narrows, ChangeEffect::Widens),
        );
    }

    /// Compares each branch with its counterpart. `effects` has the effect of a removed branch,
    /// then the effect of an added one.
    fn compare_pairs(
        &mut self,
        place: &SchemaPlace,
        old: &[Value],
        new: &[Value],
        effects: (ChangeEffect, ChangeEffect),
    ) {
        // Equal numbers are paired in order. A wrong pair reports more differences than necessary,
        // but never fewer.
        let gone = without(old, new);
        let come = without(new, old);
        if gone.len() == come.len() {
            gone.iter()
                .zip(come)
                .for_each(|(old, new)| self.schema(place, old, new));
        } else if come.is_empty() {
            gone.iter().for_each(|branch| {
                self.report(
                    place,
                    format!("form {} removed", render::value(branch)),
                    effects.0,
                )
            });
        } else if gone.is_empty() {
            come.iter().for_each(|branch| {
                self.report(
                    place,
                    format!("form {} added", render::value(branch)),
                    effects.1,
                )
            });
        } else {
            let words = format!("{} → {}", count_forms(old), count_forms(new));
            // The comparison cannot decide which removed branch became which added one.
            self.report(place, words, ChangeEffect::Unclear);
        }
    }
}

/// Returns a schema as the only branch of a choice.
fn alone(schema: &JsonObject) -> Value {
    bare(&Value::Object(schema.clone()))
}

/// Returns the branches of a keyword, except branches that only enumerate values.
fn unlisted_branches<'a>(
    keyword: BranchKeyword,
    schema: &'a JsonObject,
    other: &JsonObject,
) -> Option<&'a [Value]> {
    // `values` has compared them.
    let is_listed = listing_keyword(schema) == Some(ListingKeyword::Branches(keyword))
        && listed_beside(schema, other).is_some();
    branches_of(keyword, schema).filter(|_| !is_listed)
}

/// Returns the branches of a schema that consists of a choice and nothing else.
fn choice(schema: &JsonObject) -> Option<Vec<Value>> {
    let mut constraints = SchemaRef::document(schema)
        .parts()
        .filter(|(key, _)| !annotations::is_annotation(key));
    let (Some((_, SchemaPart::Branches(keyword, branches))), None) =
        (constraints.next(), constraints.next())
    else {
        return None;
    };
    let branches = branches.as_values();
    let is_choice = match keyword {
        BranchKeyword::AnyOf => true,
        BranchKeyword::OneOf => are_disjoint(branches),
        BranchKeyword::AllOf => false,
    };
    is_choice.then(|| branches.to_vec())
}

/// Returns whether a schema has constraints other than a choice.
fn is_plain(schema: &JsonObject) -> bool {
    let has_choice = SchemaRef::document(schema).has_alternatives();
    !has_choice && !schema.keys().all(|key| annotations::is_annotation(key))
}

/// Returns the branches that the other list lacks.
fn without<'a>(branches: &'a [Value], other: &[Value]) -> Vec<&'a Value> {
    let other: Vec<Value> = other.iter().map(bare).collect();
    branches
        .iter()
        .filter(|branch| !other.contains(&bare(branch)))
        .collect()
}

fn count_forms(branches: &[Value]) -> String {
    match branches.len() {
        1 => "1 form".to_owned(),
        count => format!("{count} forms"),
    }
}

/// Returns whether the branches are disjoint.
fn are_disjoint(branches: &[Value]) -> bool {
    let mut pairs = branches
        .iter()
        .enumerate()
        .flat_map(|(at, one)| branches.iter().skip(at + 1).map(move |other| (one, other)));
    pairs.all(|(one, other)| are_apart(one, other))
}

fn are_apart(one: &Value, other: &Value) -> bool {
    // A boolean branch counts as overlapping: `true` accepts every value.
    match (one.as_object(), other.as_object()) {
        (Some(one), Some(other)) => {
            let share_type = types(one).iter().any(|atom| types(other).contains(atom));
            !share_type
                || have_disjoint_values(one, other)
                || have_disjoint_tags(one, other)
                || requires_excluded(one, other)
                || requires_excluded(other, one)
        }
        _ => false,
    }
}

/// Returns whether both enumerate values and share none.
fn have_disjoint_values(one: &JsonObject, other: &JsonObject) -> bool {
    match (listed(one), listed(other)) {
        (Some(one), Some(other)) => !one.iter().any(|value| other.contains(value)),
        _ => false,
    }
}

/// Returns whether a property that both require has disjoint values, as a tag has.
fn have_disjoint_tags(one: &JsonObject, other: &JsonObject) -> bool {
    let are_objects = types(one) == ["object"] && types(other) == ["object"];
    let one = SchemaRef::document(one);
    let other = SchemaRef::document(other);
    // Required by both: a value without the property would fit both branches.
    are_objects
        && one
            .required()
            .any(|name| other.required().any(|also| also == name) && is_tag(name, one, other))
}

fn is_tag(name: &str, one: SchemaRef<'_>, other: SchemaRef<'_>) -> bool {
    let own = one.property(name).and_then(SchemaRef::keywords);
    let tags = own.zip(other.property(name).and_then(SchemaRef::keywords));
    tags.is_some_and(|(one, other)| have_disjoint_values(one, other))
}

/// Returns whether one requires a property that the other excludes.
fn requires_excluded(one: &JsonObject, other: &JsonObject) -> bool {
    let is_object = types(one) == ["object"];
    let one = SchemaRef::document(one);
    let other = SchemaRef::document(other);
    is_object && other.is_closed() && one.required().any(|name| other.property(name).is_none())
}
