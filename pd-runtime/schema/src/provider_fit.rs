//! Input schemas that model providers refuse although they are valid JSON Schema. One such schema
//! fails the whole request, with all tools in it.

use super::pointer;
use serde_json::{Map, Value};
use std::cell::Cell;

/// The most misfits that are reported.
const MISFITS_MAX: usize = 10;
/// The levels of a schema that are examined.
const LEVELS_MAX: usize = 32;
/// The references that are followed to find a type.
const HOPS_MAX: usize = 8;
/// The schemas that are examined in search of a type. Branches that refer to branches may be very
/// many.
const WORK_MAX: usize = 20_000;
/// The longest name of a property.
pub const NAME_MAX: usize = 64;
/// The keywords of unions.
const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// A reason why a provider refuses a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderMisfit {
    /// The root has this keyword. OpenAI and Anthropic take only an object there.
    RootUnion(&'static str),
    /// The property at this pointer has a name outside `[A-Za-z0-9_.-]{1,64}`, which Anthropic
    /// refuses.
    PropertyName(String),
    /// The schema at this pointer has no type, which Gemini, Kimi and OpenAI's strict mode refuse.
    Untyped(String),
}

/// Returns the reasons why a model provider would refuse this input schema, the first ten. It is
/// empty for a schema that all known providers accept.
pub fn provider_fit(schema: &Map<String, Value>) -> Vec<ProviderMisfit> {
    let unions = UNIONS
        .into_iter()
        .filter(|keyword| schema.contains_key(*keyword));
    let misfits = unions.map(ProviderMisfit::RootUnion).collect();
    let mut examination = Examination {
        root: schema,
        misfits,
        work: Cell::new(0),
    };
    examination.members(schema, "", LEVELS_MAX);
    // Definitions are examined where they are, so that recursive ones end.
    for key in ["$defs", "definitions"] {
        for (name, definition) in schema
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if let Some(definition) = definition.as_object() {
                examination.members(
                    definition,
                    &format!("/{key}/{}", pointer::escaped(name)),
                    LEVELS_MAX,
                );
            }
        }
    }
    // The search ends between schemas, so the last one may have added more than fit.
    examination.misfits.truncate(MISFITS_MAX);
    examination.misfits
}

struct Examination<'a> {
    root: &'a Map<String, Value>,
    misfits: Vec<ProviderMisfit>,
    work: Cell<usize>,
}

impl Examination<'_> {
    /// Examines the schemas inside a schema.
    fn members(&mut self, schema: &Map<String, Value>, path: &str, levels: usize) {
        if levels == 0 || self.misfits.len() >= MISFITS_MAX {
            return;
        }
        for (name, member) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let path = format!("{path}/{}", pointer::escaped(name));
            if !is_plain(name) {
                self.misfits
                    .push(ProviderMisfit::PropertyName(path.clone()));
            }
            self.typed_member(member, &path, levels);
        }
        let is_array = schema.get("type").is_some_and(|one| one == "array");
        match schema.get("items") {
            Some(items) => self.typed_member(items, &format!("{path}/items"), levels),
            None if is_array && !schema.contains_key("prefixItems") => {
                self.misfits
                    .push(ProviderMisfit::Untyped(format!("{path}/items")));
            }
            None => {}
        }
        for keyword in UNIONS.into_iter().chain(["prefixItems"]) {
            let branches = schema
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for (place, branch) in branches.enumerate() {
                if let Some(branch) = branch.as_object() {
                    self.members(branch, &format!("{path}/{keyword}/{place}"), levels - 1);
                }
            }
        }
    }

    fn typed_member(&mut self, member: &Value, path: &str, levels: usize) {
        if !self.is_typed(member, HOPS_MAX) {
            self.misfits
                .push(ProviderMisfit::Untyped(self.untyped_place(member, path)));
        }
        if let Some(member) = member.as_object() {
            self.members(member, path, levels - 1);
        }
    }

    /// Returns whether a schema has a type: its own, the type of its target, or one in each branch.
    fn is_typed(&self, schema: &Value, hops: usize) -> bool {
        let Some(schema) = schema.as_object().filter(|_| hops > 0) else {
            return false;
        };
        // A schema that is too large to judge gets no remark.
        let work = self.work.replace(self.work.get().saturating_add(1));
        if schema.contains_key("type") || work >= WORK_MAX {
            return true;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return self
                .target(target)
                .is_some_and(|target| self.is_typed(target, hops - 1));
        }
        let branches = |keyword| {
            schema
                .get(keyword)
                .and_then(Value::as_array)
                .filter(|branches| !branches.is_empty())
        };
        let each = |keyword| {
            branches(keyword).is_some_and(|branches| {
                branches
                    .iter()
                    .all(|branch| self.is_typed(branch, hops - 1))
            })
        };
        // One part of an `allOf` is enough: all of them apply.
        let any_of_all = branches("allOf").is_some_and(|branches| {
            branches
                .iter()
                .any(|branch| self.is_typed(branch, hops - 1))
        });
        each("anyOf") || each("oneOf") || any_of_all
    }

    /// Returns where a schema lacks its type: at itself, or at a branch of its union.
    fn untyped_place(&self, schema: &Value, path: &str) -> String {
        let union = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|keyword| Some((keyword, schema.get(keyword)?.as_array()?)));
        let branch = union.and_then(|(keyword, branches)| {
            let place = branches
                .iter()
                .position(|branch| !self.is_typed(branch, HOPS_MAX - 1))?;
            Some(format!("{path}/{keyword}/{place}"))
        });
        branch.unwrap_or_else(|| path.to_owned())
    }

    /// Returns the target of a reference inside the document.
    fn target(&self, reference: &str) -> Option<&Value> {
        let mut steps = reference
            .strip_prefix("#/")?
            .split('/')
            .map(|step| pointer::unescaped(step.into()));
        let first = self.root.get(&*steps.next()?)?;
        steps.try_fold(first, |value, step| value.get(&*step))
    }
}

/// Returns whether providers accept the name of a property: `^[A-Za-z0-9_.-]{1,64}$`.
pub fn is_plain(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn misfits(schema: Value) -> Vec<ProviderMisfit> {
        provider_fit(schema.as_object().unwrap())
    }

    fn of_property(property: Value) -> Vec<ProviderMisfit> {
        misfits(
            json!({ "type": "object", "properties": { "a": property }, "$defs": {
                "Text": { "type": "string" }, "Loop": { "$ref": "#/$defs/Loop" },
            }}),
        )
    }

    #[test]
    fn typed_members_fit() {
        for property in [
            json!({ "type": "string", "enum": ["x"] }),
            json!({ "type": ["integer", "null"] }),
            json!({ "type": "array", "items": { "type": "object", "properties": { "b-c.d": { "type": "null" } } } }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }] }),
            json!({ "$ref": "#/$defs/Text" }),
            json!({ "anyOf": [{ "$ref": "#/$defs/Text" }, { "type": "null" }] }),
            json!({ "allOf": [{ "$ref": "#/$defs/Text" }, { "minLength": 1 }] }),
            json!({ "type": "object", "additionalProperties": true }),
        ] {
            assert_eq!(of_property(property.clone()), [], "{property}");
        }
        assert_eq!(misfits(json!({ "type": "object" })), []);
    }

    #[test]
    fn members_without_a_type_are_found_wherever_they_are() {
        for (property, pointer) in [
            (json!({ "enum": ["x"] }), "/a"),
            (json!({}), "/a"),
            (json!(true), "/a"),
            (json!({ "$ref": "#/$defs/Loop" }), "/a"),
            (json!({ "$ref": "#/$defs/Absent" }), "/a"),
            (json!({ "anyOf": [{ "type": "string" }, {}] }), "/a/anyOf/1"),
            (json!({ "type": "array" }), "/a/items"),
            (
                json!({ "type": "array", "items": { "const": 1 } }),
                "/a/items",
            ),
            (
                json!({ "type": "object", "properties": { "b/c": {} } }),
                "/a/b~1c",
            ),
            (
                json!({ "anyOf": [{ "type": "object", "properties": { "b": {} } }] }),
                "/a/anyOf/0/b",
            ),
        ] {
            let found = of_property(property.clone());
            assert!(
                found.contains(&ProviderMisfit::Untyped(pointer.to_owned())),
                "{property}: {found:?}"
            );
        }
        let in_definition =
            json!({ "$defs": { "T": { "type": "object", "properties": { "b": {} } } } });
        assert_eq!(
            misfits(in_definition),
            [ProviderMisfit::Untyped("/$defs/T/b".to_owned())]
        );
    }

    #[test]
    fn root_unions_and_odd_names_are_found() {
        let union = json!({ "type": "object", "oneOf": [{ "required": ["a"] }], "anyOf": [] });
        assert_eq!(
            misfits(union),
            [
                ProviderMisfit::RootUnion("anyOf"),
                ProviderMisfit::RootUnion("oneOf")
            ]
        );
        for name in ["a b", "größe", "", "$filter", &"n".repeat(65)] {
            let found = misfits(json!({ "properties": { name: { "type": "string" } } }));
            assert!(
                matches!(found.as_slice(), [ProviderMisfit::PropertyName(_)]),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_large_or_deep_schema_costs_little() {
        let many: Map<String, Value> = (0..10_000)
            .map(|place| (format!("a {place}"), json!({})))
            .collect();
        assert_eq!(misfits(json!({ "properties": many })).len(), MISFITS_MAX);
        let nested = (0..200).fold(
            json!({ "type": "object" }),
            |inner, _| json!({ "type": "object", "properties": { "a": inner } }),
        );
        assert_eq!(misfits(nested), []);
        let branching = json!({ "anyOf": vec![json!({ "$ref": "#/$defs/B" }); 200] });
        let schema = json!({ "properties": { "a": branching }, "$defs": {
            "B": { "anyOf": vec![json!({ "$ref": "#/$defs/C" }); 200] },
            "C": { "anyOf": vec![json!({ "$ref": "#/$defs/D" }); 200] },
            "D": { "anyOf": vec![json!({ "$ref": "#/$defs/E" }); 200] },
            "E": { "type": "string" },
        }});
        let begun = cpu_time::ThreadTime::now();
        let found = misfits(schema);
        assert!(begun.elapsed().as_secs() < 2, "{found:?}");
    }
}
