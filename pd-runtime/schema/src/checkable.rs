//! Schemas of strangers: what of them can be checked.
//!
//! Servers list schemas that no validator takes: a `pattern` of another dialect, a `$ref` to
//! another file, `"type": "any"`. Their own checks are others, so such a keyword costs its check
//! and nothing else.

use super::{
    CompiledSchema, depth,
    keyword_kinds::{SEVERAL, SINGLE, holds_named_schemas},
    node::TypeSet,
    nullable, number,
    pattern::SchemaPattern,
    pointer,
    references::{ReferenceIndex, ResourceId},
};
use crate::JsonObject;
use serde_json::Value;

/// The most keywords that are reported. Further ones are counted.
const REPORTED_MAX: usize = 20;
/// The characters of a value or a reason that a report shows.
const SHOWN_MAX: usize = 120;

/// A schema that compiles, and what it lacks of the original.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckableSchema {
    /// The part that compiles.
    pub schema: Value,
    /// One line for each keyword that is not checked.
    pub unchecked: Vec<String>,
}

impl CheckableSchema {
    /// Returns the part of a schema that compiles. `nullable` of OpenAPI 3.0 allows `null`.
    pub fn new(root: &Value) -> Self {
        // Before anything recurses into the schema.
        if let Err(why) = depth::check_levels(root) {
            return Self::nothing(Vec::new(), &why);
        }
        let mut copy = CheckableCopy {
            index: ReferenceIndex::new(root),
            unchecked: Vec::new(),
            more: 0,
        };
        let schema = copy.schema(root, 0, "");
        if copy.more > 0 {
            copy.unchecked
                .push(format!("{} further keywords", copy.more));
        }
        // Single keywords were checked, and limits such as the depth of chains concern the whole.
        match CompiledSchema::new(&schema) {
            Ok(_) => Self {
                schema,
                unchecked: copy.unchecked,
            },
            Err(why) => Self::nothing(copy.unchecked, &why),
        }
    }

    fn nothing(mut unchecked: Vec<String>, why: &str) -> Self {
        unchecked.push(format!("the whole schema: {}", shortened(why)));
        Self {
            schema: Value::Bool(true),
            unchecked,
        }
    }
}

/// A copy of a document without what cannot be compiled.
struct CheckableCopy<'a> {
    index: ReferenceIndex<'a>,
    unchecked: Vec<String>,
    more: usize,
}

impl<'a> CheckableCopy<'a> {
    fn schema(&mut self, schema: &'a Value, parent: ResourceId, place: &str) -> Value {
        match schema {
            Value::Bool(_) => schema.clone(),
            Value::Object(object) => self.object(schema, object, parent, place),
            // As for keywords, `null` means that the server has left the schema out.
            Value::Null => Value::Bool(true),
            other => {
                self.leave_out(
                    place,
                    &format!("a schema is an object or a boolean, not {other}"),
                );
                Value::Bool(true)
            }
        }
    }

    fn object(
        &mut self,
        schema: &'a Value,
        object: &'a JsonObject,
        parent: ResourceId,
        place: &str,
    ) -> Value {
        let resource = self.index.resource_of(schema, parent);
        let mut copy = JsonObject::new();
        for (key, value) in object {
            let here = pointer::child(place, key);
            match self.keyword(key, value, resource, &here) {
                Ok(Some(value)) => drop(copy.insert(key.clone(), value)),
                Ok(None) => {}
                Err(why) => self.leave_out(&here, &why),
            }
        }
        // JSON Schema has no `nullable`, so the copy allows `null` instead.
        if nullable::is_nullable(object.get("nullable")) {
            nullable::with_null(copy)
        } else {
            Value::Object(copy)
        }
    }

    /// Returns the value of a keyword, or `None` if it says nothing.
    fn keyword(
        &mut self,
        key: &str,
        value: &'a Value,
        resource: ResourceId,
        place: &str,
    ) -> Result<Option<Value>, String> {
        // The values of these keywords are data, in which `null` and objects mean themselves.
        let is_quoted = matches!(key, "const" | "default" | "examples");
        // `null` for a keyword means that the server has left it out.
        if is_quoted || value.is_null() {
            return Ok(is_quoted.then(|| value.clone()));
        }
        match (key, value) {
            (_, Value::Array(schemas)) if SEVERAL.contains(&key) && !schemas.is_empty() => {
                return Ok(Some(
                    schemas
                        .iter()
                        .enumerate()
                        .map(|(number, schema)| {
                            self.schema(
                                schema,
                                resource,
                                &pointer::child(place, &number.to_string()),
                            )
                        })
                        .collect(),
                ));
            }
            (_, Value::Object(_) | Value::Bool(_)) if SINGLE.contains(&key) => {
                return Ok(Some(self.schema(value, resource, place)));
            }
            // An empty list of item schemas constrains nothing.
            ("items" | "prefixItems", Value::Array(_)) => return Ok(None),
            (_, Value::Object(named)) if holds_named_schemas(key) => {
                return Ok(Some(Value::Object(self.named(key, named, resource, place))));
            }
            // The arms above took every valid form of these keywords.
            _ if SEVERAL.contains(&key) || SINGLE.contains(&key) || holds_named_schemas(key) => {
                return Err(invalid(key, value));
            }
            // Draft 3 and OpenAPI 2 have it within a property.
            ("required", Value::Bool(_)) => return Ok(None),
            _ => {}
        }
        self.is_valid(key, value, resource)?;
        Ok(Some(value.clone()))
    }

    fn named(
        &mut self,
        key: &str,
        named: &'a JsonObject,
        resource: ResourceId,
        place: &str,
    ) -> JsonObject {
        let mut copy = JsonObject::new();
        for (name, value) in named {
            let here = pointer::child(place, name);
            if key == "patternProperties"
                && let Err(why) = SchemaPattern::new(name)
            {
                self.leave_out(&here, &why);
                continue;
            }
            let value = match value {
                // Drafts up to 7 mix lists of names and schemas in `dependencies`.
                Value::Array(_) if key == "dependencies" => value.clone(),
                value => self.schema(value, resource, &here),
            };
            copy.insert(name.clone(), value);
        }
        copy
    }

    fn is_valid(&self, key: &str, value: &Value, resource: ResourceId) -> Result<(), String> {
        let text = value.as_str();
        let is_valid = match key {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let target = text.and_then(|reference| self.index.resolve(resource, reference));
                return target
                    .map(drop)
                    .ok_or_else(|| format!("`{key}` to {value}, which is not in this schema"));
            }
            "pattern" => match text {
                Some(source) => return SchemaPattern::new(source).map(drop),
                None => false,
            },
            "type" => {
                let names: Option<Vec<&str>> = match value {
                    Value::Array(names) => names.iter().map(Value::as_str).collect(),
                    name => name.as_str().map(|name| vec![name]),
                };
                names.is_some_and(|names| {
                    !names.is_empty() && TypeSet::parse(names.into_iter()).is_ok()
                })
            }
            "format" | "$id" | "$schema" | "$anchor" | "$dynamicAnchor" => text.is_some(),
            "enum" => value.is_array(),
            "required" => is_names(value),
            "dependentRequired" => value
                .as_object()
                .is_some_and(|named| named.values().all(is_names)),
            "minimum" | "maximum" => value.is_number(),
            // Draft 4 has booleans here, which change what `minimum` and `maximum` mean.
            "exclusiveMinimum" | "exclusiveMaximum" => value.is_number() || value.is_boolean(),
            "multipleOf" => value.as_f64().is_some_and(|divisor| divisor > 0.0),
            // JSON Schema compares numbers by value, so `3.0` is a valid size.
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => value
                .as_number()
                .and_then(number::integer)
                .is_some_and(|size| u64::try_from(size).is_ok()),
            "uniqueItems" | "$recursiveAnchor" => value.is_boolean(),
            // Unknown keywords are annotations (Core 2020-12, section 6.5).
            _ => true,
        };
        if is_valid {
            Ok(())
        } else {
            Err(invalid(key, value))
        }
    }

    fn leave_out(&mut self, place: &str, why: &str) {
        if self.unchecked.len() < REPORTED_MAX {
            // The pointer of the root is empty, and a line needs a place.
            let place = if place.is_empty() { "/" } else { place };
            self.unchecked
                .push(format!("{}: {}", shortened(place), shortened(why)));
        } else {
            self.more += 1;
        }
    }
}

fn is_names(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|names| names.iter().all(Value::is_string))
}

fn invalid(key: &str, value: &Value) -> String {
    format!("`{key}` has the value {value}, which JSON Schema does not allow")
}

fn shortened(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_valid_schema_stays_as_it_is() {
        for schema in [
            json!({ "type": "object", "properties": { "a": { "enum": [null, 1], "default": null } } }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": {} } }),
            json!({ "items": [{ "type": "string" }], "additionalItems": false, "dependencies": { "a": ["b"] } }),
            json!({ "minimum": 1, "exclusiveMinimum": true, "const": { "type": "any" } }),
        ] {
            assert_eq!(
                CheckableSchema::new(&schema),
                CheckableSchema {
                    schema,
                    unchecked: Vec::new()
                }
            );
        }
    }

    #[test]
    fn a_keyword_that_cannot_be_compiled_costs_its_own_check() {
        for (property, checked, place) in [
            (
                json!({ "pattern": "[", "maxLength": 3 }),
                json!({ "maxLength": 3 }),
                "/properties/a/pattern",
            ),
            (
                json!({ "$ref": "other.json", "type": "string" }),
                json!({ "type": "string" }),
                "/properties/a/$ref",
            ),
            (json!({ "type": "any" }), json!({}), "/properties/a/type"),
            (
                json!({ "minimum": "0" }),
                json!({}),
                "/properties/a/minimum",
            ),
            (json!({ "anyOf": [] }), json!({}), "/properties/a/anyOf"),
            (json!("text"), json!(true), "/properties/a"),
        ] {
            let checkable = CheckableSchema::new(&json!({ "properties": { "a": property } }));
            assert_eq!(
                checkable.schema,
                json!({ "properties": { "a": checked } }),
                "{property}"
            );
            assert!(
                checkable.unchecked[0].starts_with(place),
                "{:?}",
                checkable.unchecked
            );
        }
    }

    #[test]
    fn null_for_a_keyword_is_as_no_keyword() {
        let schema = json!({ "required": null, "properties": { "a": { "format": null, "items": null, "required": true } } });
        let checkable = CheckableSchema::new(&schema);
        assert_eq!(
            checkable,
            CheckableSchema {
                schema: json!({ "properties": { "a": {} } }),
                unchecked: Vec::new()
            }
        );
    }

    #[test]
    fn nullable_allows_null() {
        for schema in [
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string", "number"], "nullable": true }),
            json!({ "type": "string", "enum": ["a"], "nullable": true }),
            json!({ "anyOf": [{ "type": "string" }], "nullable": true }),
            json!({ "$ref": "#/$defs/a", "nullable": true, "$defs": { "a": { "type": "string" } } }),
        ] {
            let root =
                json!({ "properties": { "a": schema }, "$defs": { "a": { "type": "string" } } });
            let compiled = CompiledSchema::new(&CheckableSchema::new(&root).schema).unwrap();
            assert!(
                compiled.validate(&json!({ "a": null }), &[]).is_ok(),
                "{schema}"
            );
            assert!(
                compiled.validate(&json!({ "a": [] }), &[]).is_err(),
                "{schema}"
            );
        }
    }

    #[test]
    fn a_schema_without_an_end_is_not_checked() {
        let circular = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } });
        let deep = (0..100).fold(json!({}), |inner, _| json!({ "items": inner }));
        for schema in [circular, deep] {
            let checkable = CheckableSchema::new(&schema);
            assert_eq!(checkable.schema, Value::Bool(true));
            assert!(
                checkable.unchecked[0].starts_with("the whole schema"),
                "{:?}",
                checkable.unchecked
            );
        }
    }
}
