//! Compares two JSON Schemas by the sets of values that they accept.
//!
//! Each keyword narrows the set independently of the others, so schemas are compared keyword by
//! keyword: if no keyword narrows, the schema does not. Differences that this cannot decide (`not`,
//! `if`, two patterns, overlapping branches) are unclear, and count as breaking. Schemas are
//! compared for callers that followed the old one: they did not send a property that it neither
//! mentioned nor forbade.

mod annotations;
mod bounds;
mod branches;
mod object;
mod place;
mod values;

use super::render;
use annotations::bare;
use pd_schema::reader::SchemaRef;
use place::SchemaPlace;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::borrow::Cow;

/// The use of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaRole {
    /// Callers send values that fit. They break if the schema accepts less.
    Arguments,
    /// Callers receive values that fit. They break if the schema promises less.
    Result,
}

/// The effect of a difference on the set of values that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeEffect {
    /// None: only texts differ.
    None,
    /// Fewer values fit.
    Narrows,
    /// More values fit.
    Widens,
    /// Some values no longer fit, and others do now.
    Breaks,
    /// The comparison cannot decide.
    Unclear,
}

/// One difference between two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SchemaDifference {
    place: SchemaPlace,
    words: String,
    effect: ChangeEffect,
}

impl SchemaDifference {
    pub(super) fn breaks(&self, role: SchemaRole) -> bool {
        match self.effect {
            ChangeEffect::None => false,
            ChangeEffect::Narrows => role == SchemaRole::Arguments,
            ChangeEffect::Widens => role == SchemaRole::Result,
            ChangeEffect::Breaks | ChangeEffect::Unclear => true,
        }
    }

    pub(super) fn render(&self, role: SchemaRole) -> String {
        let doubt = if self.effect == ChangeEffect::Unclear {
            " (this cannot be shown to be compatible)"
        } else {
            ""
        };
        format!("{}{}{doubt}", self.place.render(role), self.words)
    }
}

/// Returns all differences, outer ones first. Differences of one place are together.
pub(super) fn compare(old: &Value, new: &Value, role: SchemaRole) -> Vec<SchemaDifference> {
    let old_definitions = definitions(old);
    let new_definitions = definitions(new);
    let mut walk = SchemaComparison {
        role,
        definitions_differ: old_definitions != new_definitions,
        differences: Vec::new(),
    };
    walk.schema(
        &SchemaPlace::root(),
        &without_definitions(old),
        &without_definitions(new),
    );
    if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old_definitions, new_definitions)
    {
        // Only definitions of both: added and removed ones matter where a reference changes, which
        // is compared there.
        for (name, old) in &old {
            if let Some(new) = new.get(name) {
                walk.schema(&SchemaPlace::definition(name), old, new);
            }
        }
    }
    // A renamed definition that nothing refers to differently would otherwise go unreported,
    // although the digest changes.
    if walk.differences.is_empty() && old != new {
        walk.report(
            &SchemaPlace::root(),
            "types named differently, with the same meaning",
            ChangeEffect::None,
        );
    }
    grouped_by_place(walk.differences)
}

/// Moves all differences of one place to its first one. Keywords such as `required` are compared
/// apart from the properties that they name.
fn grouped_by_place(mut differences: Vec<SchemaDifference>) -> Vec<SchemaDifference> {
    let places: Vec<SchemaPlace> = differences.iter().map(|one| one.place.clone()).collect();
    // The sort is stable, so the differences of one place keep their order.
    differences.sort_by_cached_key(|one| places.iter().position(|place| *place == one.place));
    differences
}

/// Returns the definitions, which drafts before 2019-09 name `definitions`.
fn definitions(schema: &Value) -> Option<Value> {
    schema
        .get("$defs")
        .or_else(|| schema.get("definitions"))
        .cloned()
}

/// Removes the definitions, which are compared on their own.
fn without_definitions(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(keywords) = &mut schema {
        keywords.retain(|key, _| key != "$defs" && key != "definitions");
    }
    schema
}

/// A comparison of two schemas, and the differences found so far.
struct SchemaComparison {
    role: SchemaRole,
    /// `true` if definitions changed, so that equal references may have different targets.
    definitions_differ: bool,
    differences: Vec<SchemaDifference>,
}

impl SchemaComparison {
    fn report(&mut self, place: &SchemaPlace, words: impl Into<String>, effect: ChangeEffect) {
        self.differences.push(SchemaDifference {
            place: place.clone(),
            words: words.into(),
            effect,
        });
    }

    /// Reports a change between two renderings, if either exists.
    fn report_change(
        &mut self,
        place: &SchemaPlace,
        old: Option<String>,
        new: Option<String>,
        effect: ChangeEffect,
    ) {
        if let Some(words) = render::change(old, new) {
            self.report(place, words, effect);
        }
    }

    fn schema(&mut self, place: &SchemaPlace, old: &Value, new: &Value) {
        // Equal text may refer to definitions that changed.
        if old == new && !(self.definitions_differ && refers(old)) {
            return;
        }
        let count_before = self.differences.len();
        let before = keywords(old);
        let now = keywords(new);
        // Annotations are compared even where a schema accepts nothing: their texts reach callers.
        self.annotations(place, &before, &now);
        match (is_never(&before), is_never(&now)) {
            (false, false) => self.constraints(place, &before, &now),
            (true, false) => self.report(place, "possible now", ChangeEffect::Widens),
            (false, true) => self.report(place, "impossible now", ChangeEffect::Narrows),
            (true, true) => {}
        }
        // The digest changes with the text, so a reviewer needs a reason even if nothing else
        // differs.
        if self.differences.len() == count_before && old != new {
            let is_bare = bare(old) != bare(new);
            let words = if is_bare {
                "written differently, with the same meaning"
            } else {
                "described differently"
            };
            self.report(place, words, ChangeEffect::None);
        }
    }

    fn constraints(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        let old_reference = old.get("$ref");
        let new_reference = new.get("$ref");
        if old_reference != new_reference {
            // The targets are compared as definitions, by name. Other names are not matched up, so
            // this stays unclear.
            let [before, now] = [old_reference, new_reference]
                .map(|target| target.map(|name| format!("a reference to {name}")));
            return self.report_change(place, before, now, ChangeEffect::Unclear);
        }
        // Both report the difference completely; comparing further keywords would report it twice.
        if self.alternatives(place, old, new) || !self.types(place, old, new) {
            return;
        }
        self.values(place, old, new);
        self.bounds(place, old, new);
        self.rules(place, old, new);
        self.items(place, old, new);
        self.object(place, old, new);
        self.branches(place, old, new);
        self.others(place, old, new);
    }

    /// Compares rules without an order: an added rule narrows, and a changed rule is unclear.
    fn rules(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        for (key, phrase) in [
            ("pattern", "matching"),
            ("format", "of the format"),
            ("uniqueItems", "without duplicates"),
        ] {
            let old = rule(old, key);
            let new = rule(new, key);
            let effect = match (old, new) {
                _ if old == new => continue,
                (None, _) => ChangeEffect::Narrows,
                (_, None) => ChangeEffect::Widens,
                // Which of two patterns accepts more cannot be decided in general.
                _ => ChangeEffect::Unclear,
            };
            self.report_change(
                place,
                describe_rule(phrase, old),
                describe_rule(phrase, new),
                effect,
            );
        }
    }

    fn items(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        let anything = Value::Bool(true);
        // Without `items` any item is accepted, which is the schema `true`.
        let before = items_schema(old).unwrap_or(&anything);
        let now = items_schema(new).unwrap_or(&anything);
        self.schema(&place.items(), before, now);
        let [before, now] = [old, new].map(|schema| {
            let first = SchemaRef::document(schema).prefix_items();
            first.map(|items| items.as_values())
        });
        match (before, now) {
            (Some(before), Some(now)) if before.len() == now.len() => {
                for (index, (old, new)) in before.iter().zip(now).enumerate() {
                    self.schema(&place.item(index), old, new);
                }
            }
            (before, now) if before != now => {
                self.report(place, "other items in front", ChangeEffect::Unclear)
            }
            _ => {}
        }
    }

    /// Compares keywords that no method above compares.
    fn others(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        let all = old
            .keys()
            .chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key in all {
            let old = old.get(key);
            let new = new.get(key);
            if [old, new]
                .into_iter()
                .flatten()
                .all(|value| is_understood(key, value))
            {
                continue;
            }
            if old.map(bare) != new.map(bare) {
                let [before, now] = [old, new]
                    .map(|value| value.map(|value| format!("`{key}` {}", render::value(value))));
                self.report_change(place, before, now, ChangeEffect::Unclear);
            } else if self.definitions_differ && new.is_some_and(refers) {
                self.report(
                    place,
                    format!("`{key}` refers to types that changed"),
                    ChangeEffect::Unclear,
                );
            }
        }
    }
}

/// Returns a rule. `false` is the default of `uniqueItems`, so it is not a rule.
fn rule<'a>(schema: &'a JsonObject, key: &str) -> Option<&'a Value> {
    schema.get(key).filter(|rule| **rule != Value::Bool(false))
}

fn describe_rule(phrase: &str, rule: Option<&Value>) -> Option<String> {
    match rule? {
        Value::Bool(_) => Some(phrase.to_owned()),
        rule => Some(format!("{phrase} {}", render::value(rule))),
    }
}

/// Returns the schema of all items. A list in `items` describes the first items only.
fn items_schema(schema: &JsonObject) -> Option<&Value> {
    SchemaRef::document(schema).items()?.value()
}

/// Returns whether a keyword with this value is compared elsewhere. In drafts before 2020-12
/// `items` may be a list, and exclusive bounds may be booleans; those forms are not.
fn is_understood(key: &str, value: &Value) -> bool {
    const COMPARED: &[&str] = &[
        "$ref",
        "$defs",
        "definitions",
        "type",
        "enum",
        "const",
        "pattern",
        "format",
        "uniqueItems",
        "prefixItems",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "oneOf",
        "allOf",
    ];
    match key {
        "items" => !value.is_array(),
        _ if bounds::is_bound(key) => value.is_number(),
        _ => COMPARED.contains(&key) || annotations::is_annotation(key),
    }
}

/// Returns a schema's keywords. `true` has none, and `false` becomes `{"not": {}}`, which accepts
/// nothing.
fn keywords(schema: &Value) -> Cow<'_, JsonObject> {
    match schema {
        Value::Object(keywords) => Cow::Borrowed(keywords),
        Value::Bool(false) => Cow::Owned(JsonObject::from_iter([(
            "not".to_owned(),
            Value::Object(JsonObject::new()),
        )])),
        _ => Cow::Owned(JsonObject::new()),
    }
}

fn is_never(schema: &JsonObject) -> bool {
    schema.get("not").is_some_and(|not| {
        *not == Value::Bool(true) || not.as_object().is_some_and(JsonObject::is_empty)
    })
}

/// Returns whether a schema contains a reference.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            // Matches `$ref`, `$dynamicRef` and `$recursiveRef`. A quoted value with a member such
            // as `brief` only makes the comparison more careful.
            members
                .iter()
                .any(|(key, value)| key.ends_with("ef") && value.is_string() || refers(value))
        }
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
