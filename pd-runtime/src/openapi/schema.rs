//! Schemas of requests as JSON Schema 2020-12 that model providers take.
//!
//! A keyword is kept if JSON Schema has it and a model or the validator uses it. The server checks
//! all requests itself, so what cannot be said in JSON Schema is left out and not guessed: a
//! schema here takes each value that the document's schema takes.

use super::{
    discriminator,
    document::Document,
    object::{Object, is_true, name_of, reference_of, text_of},
    plain_text::{first_sentences, plain_line},
    schema_keywords::{limits, values},
    schema_types::{is_scalar, types_of},
};
use pd_schema::provider_fit::is_plain;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};

/// The most schemas of one operation. Further ones are cut.
const SCHEMAS_MAX: usize = 3_000;
/// The most branches of a union.
const BRANCHES_MAX: usize = 24;
/// The most required members of an object that are named where its levels end.
const REQUIRED_MAX: usize = 8;
/// The types of a value that can be anything. An array of anything would need a type for its
/// elements, so it is written as a text.
const ANY_TYPE: [&str; 4] = ["string", "number", "boolean", "object"];

/// How much of the document's schemas is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaDetail {
    /// The levels of objects and arrays. Deeper ones are an object or an array of any content.
    pub(super) levels: usize,
    /// The characters of a description on the first level, and on deeper ones.
    pub(super) description: [usize; 2],
}

/// The details that are tried, from most to least, until a schema is small enough.
pub(super) const DETAILS: [SchemaDetail; 4] = [
    SchemaDetail {
        levels: 8,
        description: [200, 120],
    },
    SchemaDetail {
        levels: 4,
        description: [160, 80],
    },
    SchemaDetail {
        levels: 2,
        description: [160, 0],
    },
    SchemaDetail {
        levels: 1,
        description: [60, 0],
    },
];

/// Converts the schemas of one operation. Shared ones become `$defs`, each once.
pub(super) struct SchemaConverter<'d> {
    document: &'d Document,
    detail: SchemaDetail,
    /// The names in `$defs`, by reference.
    names: HashMap<String, String>,
    /// Definitions that are not converted yet, with their levels. They are converted in the order
    /// in which they were found, so that one is cut at the highest place that refers to it.
    queue: VecDeque<(String, String, usize)>,
    /// The schemas that may still be converted. Properties beside a union are converted for each
    /// branch, so nested unions can grow beyond the document.
    left: usize,
}

impl<'d> SchemaConverter<'d> {
    pub(super) fn new(document: &'d Document, detail: SchemaDetail) -> Self {
        Self {
            document,
            detail,
            names: HashMap::new(),
            queue: VecDeque::new(),
            left: SCHEMAS_MAX,
        }
    }

    /// Converts a schema on this level. Arguments are on the first one, which is 1.
    pub(super) fn convert(&mut self, schema: &Value, level: usize) -> Object {
        let merged = self.document.merged(schema);
        let Some(reference) = reference_of(schema).filter(|_| is_worth_a_name(&merged)) else {
            return self.convert_merged(&merged, level);
        };
        if level > self.detail.levels {
            return self.cut(&merged, level);
        }
        let name = self.definition(reference, level);
        let mut named = Object::new();
        named.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        let own = schema
            .as_object()
            .and_then(|own| text_of(own, "description"));
        if let Some(text) = own {
            self.describe(&mut named, text, level);
        }
        named
    }

    /// Converts all definitions that were referred to, with those that they refer to.
    pub(super) fn definitions(&mut self) -> Object {
        let mut definitions = Object::new();
        while let Some((reference, name, level)) = self.queue.pop_front() {
            let merged = self.document.merged(&json!({ "$ref": reference }));
            let converted = self.convert_merged(&merged, level);
            definitions.insert(name, Value::Object(converted));
        }
        definitions
    }

    fn definition(&mut self, reference: &str, level: usize) -> String {
        if let Some(name) = self.names.get(reference) {
            return name.clone();
        }
        let plain: String = name_of(reference)
            .chars()
            .map(|letter| match letter {
                letter if letter.is_ascii_alphanumeric() => letter,
                _ => '_',
            })
            .take(40)
            .collect();
        let mut name = plain.clone();
        let mut number = 2_u32;
        while self.names.values().any(|other| *other == name) {
            name = format!("{plain}{number}");
            number += 1;
        }
        self.names.insert(reference.to_owned(), name.clone());
        self.queue
            .push_back((reference.to_owned(), name.clone(), level));
        name
    }

    /// Converts a schema without a reference or `allOf` at its root.
    pub(super) fn convert_merged(&mut self, schema: &Object, level: usize) -> Object {
        let types = types_of(schema);
        let is_beyond = level > self.detail.levels && !is_scalar(&types);
        if is_beyond || self.left == 0 {
            return self.cut(schema, level);
        }
        self.left -= 1;
        let branches = self.branches(schema);
        if !branches.is_empty() {
            return self.union(schema, branches, &types, level);
        }
        let mut converted = Object::new();
        insert_types(&mut converted, &types);
        if let Some(text) = text_of(schema, "description").or(text_of(schema, "title")) {
            self.describe(&mut converted, text, level);
        }
        let has = |name: &str| types.iter().any(|one| one == name);
        values(&mut converted, schema, &types);
        limits(&mut converted, schema);
        if has("array") {
            let items = schema.get("items").filter(|items| items.is_object());
            let items = items.map_or_else(any_value, |items| self.convert(items, level + 1));
            converted.insert("items".to_owned(), Value::Object(items));
        }
        if has("object") {
            self.members(&mut converted, schema, level);
        }
        converted
    }

    /// Converts the properties of an object, without those that only answers have.
    fn members(&mut self, converted: &mut Object, schema: &Object, level: usize) {
        let mut properties = Object::new();
        let mut left_out = Vec::new();
        let all = schema.get("properties").and_then(Value::as_object);
        for (name, member) in all.into_iter().flatten() {
            let merged = self.document.merged(member);
            if is_true(&merged, "readOnly") {
                continue;
            }
            // A name that a provider refuses is sent as a further member, which the object takes.
            if is_plain(name) {
                let member = self.convert(member, level + 1);
                properties.insert(name.clone(), Value::Object(member));
            } else {
                left_out.push(format!("`{}`", plain_line(name, 60)));
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<Value> = required
            .into_iter()
            .flatten()
            .filter(|name| {
                name.as_str()
                    .is_some_and(|name| properties.contains_key(name))
            })
            .cloned()
            .collect();
        let has_properties = !properties.is_empty();
        if has_properties {
            converted.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            converted.insert("required".to_owned(), Value::Array(required));
        }
        if !left_out.is_empty() {
            left_out.truncate(10);
            let text = format!("It also takes {}.", left_out.join(", "));
            let text = match text_of(converted, "description") {
                Some(own) => format!("{own} {text}"),
                None => text,
            };
            converted.insert("description".to_owned(), text.into());
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) if left_out.is_empty() && has_properties => {
                converted.insert("additionalProperties".to_owned(), false.into());
            }
            Some(Value::Object(_)) if left_out.is_empty() => {
                if let Some(values) = schema.get("additionalProperties") {
                    let values = self.convert(values, level + 1);
                    converted.insert("additionalProperties".to_owned(), Value::Object(values));
                }
            }
            _ => {}
        }
    }

    /// Returns the branches of a union that say more than which properties are required. `oneOf`
    /// is read as `anyOf`, because what is left out here may be what tells its branches apart.
    pub(super) fn branches(&self, schema: &Object) -> Vec<Value> {
        let branches = ["oneOf", "anyOf"]
            .into_iter()
            .find_map(|key| schema.get(key).and_then(Value::as_array));
        let branches = branches.map(Vec::as_slice).unwrap_or_default();
        let says_more = branches.iter().any(|branch| {
            let merged = self.document.merged(branch);
            [
                "type",
                "properties",
                "items",
                "enum",
                "const",
                "oneOf",
                "anyOf",
                "additionalProperties",
            ]
            .iter()
            .any(|key| merged.contains_key(*key))
        });
        match says_more && branches.len() <= BRANCHES_MAX {
            true => branches.to_vec(),
            false => Vec::new(),
        }
    }

    fn union(
        &mut self,
        schema: &Object,
        branches: Vec<Value>,
        types: &[String],
        level: usize,
    ) -> Object {
        let mut converted = Object::new();
        if let Some(text) = text_of(schema, "description").or(text_of(schema, "title")) {
            self.describe(&mut converted, text, level);
        }
        let mut alternatives: Vec<Value> = Vec::new();
        for branch in branches {
            let mut branch = match branch {
                Value::Object(branch) => branch,
                _ => continue,
            };
            // Keywords beside the union hold for each branch.
            if reference_of(&Value::Object(branch.clone())).is_none() {
                for key in ["type", "properties", "items", "required"] {
                    if let Some(shared) = schema.get(key) {
                        let own = branch
                            .entry(key.to_owned())
                            .or_insert_with(|| shared.clone());
                        add_shared(own, shared);
                    }
                }
            }
            let branch = Value::Object(branch);
            let chosen = discriminator::chosen(self.document, schema, &branch);
            let alternative = match chosen {
                // It differs from what the reference leads to elsewhere, so it is written here.
                Some(branch) => self.convert_merged(&branch, level),
                None => self.convert(&branch, level),
            };
            let alternative = Value::Object(alternative);
            if !alternatives.contains(&alternative) {
                alternatives.push(alternative);
            }
        }
        let takes_null = is_true(schema, "nullable") || types.iter().any(|one| one == "null");
        let null = json!({ "type": "null" });
        if takes_null && !alternatives.contains(&null) {
            alternatives.push(null);
        }
        match <[Value; 1]>::try_from(alternatives) {
            Ok([Value::Object(one)]) => {
                for (key, value) in one {
                    converted.entry(key).or_insert(value);
                }
            }
            Ok(_) => {}
            Err(alternatives) => {
                converted.insert("anyOf".to_owned(), Value::Array(alternatives));
            }
        }
        converted
    }

    /// Returns an object or an array of any content, where the levels end. The members that a request
    /// cannot do without are named.
    fn cut(&self, schema: &Object, level: usize) -> Object {
        let types = types_of(schema);
        let mut cut = any_value();
        if !types.is_empty() && !schema.contains_key("oneOf") && !schema.contains_key("anyOf") {
            insert_types(&mut cut, &types);
        }
        if types.iter().any(|one| one == "array") {
            cut.insert("items".to_owned(), Value::Object(any_value()));
        }
        if let Some(text) = text_of(schema, "description") {
            self.describe(&mut cut, text, level);
        }
        let items = schema.get("items").map(|items| self.document.merged(items));
        let needs = [
            ("Needs", self.required_members(schema)),
            (
                "Each needs",
                self.required_members(&items.unwrap_or_default()),
            ),
        ];
        for (words, required) in needs.iter().filter(|(_, required)| !required.is_empty()) {
            let text = text_of(&cut, "description").map(|own| format!("{own} "));
            let text = format!(
                "{}{words} {}.",
                text.unwrap_or_default(),
                required.join(", ")
            );
            cut.insert("description".to_owned(), text.into());
        }
        cut
    }

    fn required_members(&self, schema: &Object) -> Vec<String> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        let sent = names.filter(|name| {
            let member = properties.and_then(|all| all.get(*name));
            member.is_some_and(|member| !is_true(&self.document.merged(member), "readOnly"))
        });
        sent.take(REQUIRED_MAX)
            .map(|name| format!("`{}`", plain_line(name, 60)))
            .collect()
    }

    pub(super) fn describe(&self, converted: &mut Object, text: &str, level: usize) {
        let [first, deeper] = self.detail.description;
        let max = if level <= 1 { first } else { deeper };
        let text = if max == 0 {
            String::new()
        } else {
            first_sentences(text, max)
        };
        if !text.is_empty() {
            converted.insert("description".to_owned(), text.into());
        }
    }
}

/// Adds what is beside a union to what a branch has.
fn add_shared(own: &mut Value, shared: &Value) {
    match (own, shared) {
        (Value::Object(own), Value::Object(shared)) => {
            for (name, schema) in shared {
                own.entry(name.clone()).or_insert_with(|| schema.clone());
            }
        }
        (Value::Array(own), Value::Array(shared)) => {
            for name in shared {
                if !own.contains(name) {
                    own.push(name.clone());
                }
            }
        }
        _ => {}
    }
}

/// A schema that takes any value, with a type as providers require.
pub(super) fn any_value() -> Object {
    Object::from_iter([("type".to_owned(), json!(ANY_TYPE))])
}

fn insert_types(converted: &mut Object, types: &[String]) {
    match types {
        [] => converted.extend(any_value()),
        [one] => drop(converted.insert("type".to_owned(), one.as_str().into())),
        several => drop(converted.insert("type".to_owned(), json!(several))),
    }
}

/// Returns whether a definition is large enough that its name saves text.
fn is_worth_a_name(schema: &Object) -> bool {
    [
        "properties",
        "items",
        "oneOf",
        "anyOf",
        "additionalProperties",
    ]
    .iter()
    .any(|key| schema.contains_key(*key))
}
