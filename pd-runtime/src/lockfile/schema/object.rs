//! Compares properties: which ones exist, which are required, and which others are allowed.

use super::{ChangeEffect, SchemaComparison, place::SchemaPlace};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;

impl SchemaComparison {
    pub(super) fn object(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        let old = ObjectKeywords::new(old);
        let new = ObjectKeywords::new(new);
        for (name, before) in old.properties() {
            match new.property(name) {
                Some(now) => self.schema(&place.property(name), before, now),
                None => self.report(&place.property(name), "removed", ChangeEffect::Breaks),
            }
        }
        for (name, now) in new
            .properties()
            .filter(|(name, _)| old.property(name).is_none())
        {
            // The old schema required this property without describing it, so callers did send it,
            // with any value.
            match old.requires(name) {
                true => self.schema(&place.property(name), &Value::Bool(true), now),
                false => self.new_property(&place.property(name), now, &old, new.requires(name)),
            }
        }
        self.required(place, &old, &new);
        self.additional(place, &old, &new);
    }

    /// Compares a property that the old schema did not mention.
    fn new_property(
        &mut self,
        place: &SchemaPlace,
        now: &Value,
        old: &ObjectKeywords<'_>,
        is_required: bool,
    ) {
        let words = if is_required {
            "new and required"
        } else {
            "new and optional"
        };
        // A new property widens a closed object, which callers could not send it to. In an open
        // object an optional one has no effect, because callers did not know of it; see the module
        // `schema`.
        let effect = match (old.additional, is_required) {
            // A pattern of the old schema may have described the property.
            _ if old.has_patterns => ChangeEffect::Unclear,
            (AdditionalProperties::None, false) => ChangeEffect::Widens,
            (AdditionalProperties::None, true) => ChangeEffect::Breaks,
            // Calls that sent the property to an open object still fit.
            (_, true) => ChangeEffect::Narrows,
            (_, false) => ChangeEffect::None,
        };
        self.report(place, words, effect);
        if let AdditionalProperties::Like(before) = old.additional {
            self.schema(place, before, now);
        }
    }

    fn required(
        &mut self,
        place: &SchemaPlace,
        old: &ObjectKeywords<'_>,
        new: &ObjectKeywords<'_>,
    ) {
        // Added and removed properties are already reported.
        for name in new
            .required
            .iter()
            .filter(|name| !old.requires(name) && !is_reported(name, old, new))
        {
            self.report(&place.property(name), "required now", ChangeEffect::Narrows);
        }
        for name in old
            .required
            .iter()
            .filter(|name| !new.requires(name) && !is_reported(name, old, new))
        {
            self.report(&place.property(name), "optional now", ChangeEffect::Widens);
        }
    }

    fn additional(
        &mut self,
        place: &SchemaPlace,
        old: &ObjectKeywords<'_>,
        new: &ObjectKeywords<'_>,
    ) {
        match (old.additional, new.additional) {
            (AdditionalProperties::Any, AdditionalProperties::Any)
            | (AdditionalProperties::None, AdditionalProperties::None) => {}
            (_, AdditionalProperties::None) => {
                self.report(place, "no other properties any more", ChangeEffect::Narrows)
            }
            (AdditionalProperties::None, _) => {
                self.report(place, "other properties too", ChangeEffect::Widens)
            }
            (AdditionalProperties::Like(old), AdditionalProperties::Like(new)) => {
                self.schema(&place.any_property(), old, new)
            }
            (AdditionalProperties::Like(old), AdditionalProperties::Any) => {
                self.schema(&place.any_property(), old, &Value::Bool(true))
            }
            (AdditionalProperties::Any, AdditionalProperties::Like(new)) => {
                self.schema(&place.any_property(), &Value::Bool(true), new)
            }
        }
    }
}

/// Returns whether a property is reported as added or removed.
fn is_reported(name: &str, old: &ObjectKeywords<'_>, new: &ObjectKeywords<'_>) -> bool {
    match (old.property(name), new.property(name)) {
        // Compared as a known property if the old schema required it, so nothing was reported.
        (None, Some(_)) => !old.requires(name),
        (old, new) => old.is_some() != new.is_some(),
    }
}

/// The keywords of a schema about properties.
struct ObjectKeywords<'a> {
    schema: SchemaRef<'a>,
    required: Vec<&'a str>,
    additional: AdditionalProperties<'a>,
    has_patterns: bool,
}

/// The rule for properties that a schema does not mention.
#[derive(Clone, Copy)]
enum AdditionalProperties<'a> {
    /// Any are allowed.
    Any,
    /// None are allowed.
    None,
    /// Properties that fit this schema are allowed.
    Like(&'a Value),
}

impl<'a> ObjectKeywords<'a> {
    fn new(schema: &'a JsonObject) -> Self {
        let schema = SchemaRef::document(schema);
        let additional = schema
            .additional_properties()
            .and_then(SchemaRef::value)
            .map_or(AdditionalProperties::Any, |others| match others {
                Value::Bool(true) => AdditionalProperties::Any,
                Value::Bool(false) => AdditionalProperties::None,
                like => AdditionalProperties::Like(like),
            });
        Self {
            schema,
            required: schema.required().collect(),
            additional,
            has_patterns: schema.has_pattern_properties(),
        }
    }

    fn properties(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let properties = self.schema.properties();
        properties.filter_map(|(name, property)| Some((name, property.value()?)))
    }

    fn property(&self, name: &str) -> Option<&'a Value> {
        self.schema.property(name)?.value()
    }

    fn requires(&self, name: &str) -> bool {
        self.required.contains(&name)
    }
}
