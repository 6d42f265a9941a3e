//! Two JSON Schemas, and what became of the set of values that fit.
//!
//! Every keyword narrows this set by itself, so that schemas are compared keyword by keyword: where none narrows, the whole
//! does not. What cannot be told apart so (`not`, `if`, two patterns, overlapping branches) is unclear, and counts as
//! breaking. Schemas are compared for callers who kept to what the old one described: a property that it did not mention,
//! and did not forbid, was not sent.

mod annotations;
mod bounds;
mod branches;
mod object;
mod place;
mod values;

use super::render;
use annotations::bare;
use place::Place;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::borrow::Cow;

/// Whose schema it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Callers send what fits: they break where it accepts less.
    Arguments,
    /// Callers receive what fits: they break where it promises less.
    Result,
}

/// What a difference does to the values that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: it is about words.
    None,
    /// Fewer fit.
    Narrows,
    /// More fit.
    Widens,
    /// Some fit no longer, and others do.
    Breaks,
    /// It cannot be told.
    Unclear,
}

/// One difference between two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    place: Place,
    words: String,
    effect: Effect,
}

impl Difference {
    pub(super) fn breaks(&self, role: Role) -> bool {
        match self.effect {
            Effect::None => false,
            Effect::Narrows => role == Role::Arguments,
            Effect::Widens => role == Role::Result,
            Effect::Breaks | Effect::Unclear => true,
        }
    }

    pub(super) fn in_words(&self, role: Role) -> String {
        let doubt = if self.effect == Effect::Unclear { " (this cannot be shown to be compatible)" } else { "" };
        format!("{}{}{doubt}", self.place.in_words(role), self.words)
    }
}

/// All differences, outside before inside, those of one place together.
pub(super) fn compare(old: &Value, new: &Value, role: Role) -> Vec<Difference> {
    let definitions = |schema: &Value| schema.get("$defs").or_else(|| schema.get("definitions")).cloned();
    let (old_definitions, new_definitions) = (definitions(old), definitions(new));
    let mut walk = Walk { role, definitions_differ: old_definitions != new_definitions, found: Vec::new() };
    walk.schema(&Place::root(), &without_definitions(old), &without_definitions(new));
    if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old_definitions, new_definitions) {
        for (name, old) in &old {
            if let Some(new) = new.get(name) {
                walk.schema(&Place::definition(name), old, new);
            }
        }
    }
    if walk.found.is_empty() && old != new {
        walk.tell(&Place::root(), "types named differently, with the same meaning", Effect::None);
    }
    gathered(walk.found)
}

/// Puts what is told of one place where that is first told of: keywords such as `required` are compared apart.
fn gathered(mut found: Vec<Difference>) -> Vec<Difference> {
    let places: Vec<Place> = found.iter().map(|one| one.place.clone()).collect();
    found.sort_by_cached_key(|one| places.iter().position(|place| *place == one.place));
    found
}

/// They are compared by themselves.
fn without_definitions(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(keywords) = &mut schema {
        keywords.retain(|key, _| key != "$defs" && key != "definitions");
    }
    schema
}

/// A comparison on its way through two schemas.
struct Walk {
    role: Role,
    /// Then the same reference may not mean the same.
    definitions_differ: bool,
    found: Vec<Difference>,
}

impl Walk {
    fn tell(&mut self, place: &Place, words: impl Into<String>, effect: Effect) {
        self.found.push(Difference { place: place.clone(), words: words.into(), effect });
    }

    /// Tells what was said before and is said now, if either says anything.
    fn tell_turned(&mut self, place: &Place, old: Option<String>, new: Option<String>, effect: Effect) {
        if let Some(words) = render::turned(old, new) {
            self.tell(place, words, effect);
        }
    }

    fn schema(&mut self, place: &Place, old: &Value, new: &Value) {
        // What is written the same may refer to something else.
        if old == new && !(self.definitions_differ && refers(old)) {
            return;
        }
        let told = self.found.len();
        let (before, now) = (keywords(old), keywords(new));
        self.annotations(place, &before, &now);
        match (is_never(&before), is_never(&now)) {
            (false, false) => self.constraints(place, &before, &now),
            (true, false) => self.tell(place, "possible now", Effect::Widens),
            (false, true) => self.tell(place, "impossible now", Effect::Narrows),
            (true, true) => {}
        }
        if self.found.len() == told && old != new {
            let is_bare = bare(old) != bare(new);
            let words = if is_bare { "written differently, with the same meaning" } else { "described differently" };
            self.tell(place, words, Effect::None);
        }
    }

    fn constraints(&mut self, place: &Place, old: &JsonObject, new: &JsonObject) {
        let (old_reference, new_reference) = (old.get("$ref"), new.get("$ref"));
        if old_reference != new_reference {
            let shown = |reference: Option<&Value>| reference.map(|name| format!("a reference to {name}"));
            return self.tell_turned(place, shown(old_reference), shown(new_reference), Effect::Unclear);
        }
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

    /// Rules that only stand or fall: one more narrows, another one is unclear.
    fn rules(&mut self, place: &Place, old: &JsonObject, new: &JsonObject) {
        for (key, phrase) in
            [("pattern", "matching"), ("format", "of the format"), ("uniqueItems", "without duplicates")]
        {
            let rule = |schema: &JsonObject| schema.get(key).filter(|rule| **rule != Value::Bool(false)).cloned();
            let (old, new) = (rule(old), rule(new));
            let effect = match (&old, &new) {
                _ if old == new => continue,
                (None, _) => Effect::Narrows,
                (_, None) => Effect::Widens,
                _ => Effect::Unclear,
            };
            let shown = |rule: Option<Value>| match rule? {
                Value::Bool(_) => Some(phrase.to_owned()),
                rule => Some(format!("{phrase} {}", render::value(&rule))),
            };
            self.tell_turned(place, shown(old), shown(new), effect);
        }
    }

    fn items(&mut self, place: &Place, old: &JsonObject, new: &JsonObject) {
        let anything = Value::Bool(true);
        let items = |schema: &JsonObject| schema.get("items").filter(|items| !items.is_array()).cloned();
        let (before, now) = (items(old), items(new));
        self.schema(&place.items(), before.as_ref().unwrap_or(&anything), now.as_ref().unwrap_or(&anything));
        match (old.get("prefixItems"), new.get("prefixItems")) {
            (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.schema(&place.item(index), old, new);
                }
            }
            (old, new) if old != new => self.tell(place, "other items in front", Effect::Unclear),
            _ => {}
        }
    }

    /// Keywords that nothing here understands.
    fn others(&mut self, place: &Place, old: &JsonObject, new: &JsonObject) {
        let all = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key in all {
            let (old, new) = (old.get(key), new.get(key));
            if [old, new].into_iter().flatten().all(|value| is_understood(key, value)) {
                continue;
            }
            if old.map(bare) != new.map(bare) {
                let shown = |value: Option<&Value>| value.map(|value| format!("`{key}` {}", render::value(value)));
                self.tell_turned(place, shown(old), shown(new), Effect::Unclear);
            } else if self.definitions_differ && new.is_some_and(refers) {
                self.tell(place, format!("`{key}` refers to types that changed"), Effect::Unclear);
            }
        }
    }
}

/// Drafts before 2020-12 have a list of `items`, and bounds that are true or false.
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
        _ if bounds::is_one(key) => value.is_number(),
        _ => COMPARED.contains(&key) || annotations::is_one(key),
    }
}

/// A schema's keywords; `true` has none, and `false` is the one that nothing fits.
fn keywords(schema: &Value) -> Cow<'_, JsonObject> {
    match schema {
        Value::Object(keywords) => Cow::Borrowed(keywords),
        Value::Bool(false) => Cow::Owned(JsonObject::from_iter([("not".to_owned(), Value::Object(JsonObject::new()))])),
        _ => Cow::Owned(JsonObject::new()),
    }
}

fn is_never(schema: &JsonObject) -> bool {
    schema.get("not").is_some_and(|not| *not == Value::Bool(true) || not.as_object().is_some_and(JsonObject::is_empty))
}

/// Whether a schema refers to a definition anywhere.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.ends_with("ef") && value.is_string() || refers(value))
        }
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
