//! Finds maps with keys that no JSON object can have. serde reads such a key from a struct or a
//! list, but an object's key is a string. The schema of such a map looks like that of any map. So
//! each map in a schema is tried on the type itself: an object with one key, wrapped in the values
//! that lead to it.

use super::{refused_key, tool_spec::ToolSpec};
use crate::tool::{descriptor::ArgumentFacts, read_trace::NOT_TEXT_KEY};
use pd_schema::{pointer, reader::SchemaRef};

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The keys to try. serde also reads numbers and booleans from strings.
const KEYS: [&str; 3] = ["pd-runtime-key", NUMBER, "true"];
const NUMBER: &str = "0";
/// The maximum depth of the search.
const DEPTH_MAX: usize = 32;
/// The maximum number of maps to try in one argument.
const MAPS_MAX: usize = 256;

/// A map that no call can fill.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ImpossibleMap {
    /// The JSON pointer into the arguments, with `*` for any item.
    pub(super) pointer: String,
    /// The type from which serde reads a key: "struct Point".
    pub(super) expected: String,
}

impl ImpossibleMap {
    /// Whether the keys are numbers, which are keys elsewhere.
    pub(super) fn has_numbers(&self) -> bool {
        refused_key::is_number(&self.expected)
    }
}

/// Finds the maps in a tool's arguments that no call can fill.
pub(super) fn find(about: &ToolSpec) -> Vec<ImpossibleMap> {
    let root = SchemaRef::document(&*about.input.schema);
    let mut found = Vec::new();
    let mut has_references = false;
    for argument in about.declared.arguments {
        let mut search = MapSearch::new(argument);
        match root.property(argument.name) {
            Some(schema) => search.visit(
                schema,
                &ArgumentPath {
                    outer: None,
                    step: ArgumentStep::Property(argument.name, None),
                },
                0,
            ),
            // The argument `Args` has all properties at once.
            None => root.properties().for_each(|(name, schema)| {
                search.visit(
                    schema,
                    &ArgumentPath {
                        outer: None,
                        step: ArgumentStep::Property(name, Some(&about.input.schema)),
                    },
                    0,
                );
            }),
        }
        has_references |= !search.visited.is_empty();
        found.append(&mut search.found);
    }
    // Subschemas are inlined, so only recursive types have references.
    if has_references {
        once_each(found)
    } else {
        found
    }
}

/// Keeps the outermost of the maps that recursion finds again: their pointers end alike.
fn once_each(mut found: Vec<ImpossibleMap>) -> Vec<ImpossibleMap> {
    let places: Vec<String> = found.iter().map(|map| map.pointer.clone()).collect();
    let tail = |place: &str| {
        place
            .get(1..)
            .and_then(|place| place.find('/'))
            .map_or(0, |argument| argument + 1)
    };
    found.retain(|map| {
        !places.iter().any(|other| {
            let end = other.get(tail(other)..).unwrap_or_default();
            other.len() < map.pointer.len() && !end.is_empty() && map.pointer.ends_with(end)
        })
    });
    found
}

/// The path from the arguments to a value.
struct ArgumentPath<'a> {
    outer: Option<&'a ArgumentPath<'a>>,
    step: ArgumentStep<'a>,
}

enum ArgumentStep<'a> {
    /// Into the property of this name, of an object with this schema.
    Property(&'a str, Option<&'a JsonObject>),
    /// Into the value of a map under this key.
    Entry(&'static str),
    /// Into an item of a list, after items of these schemas.
    Item(&'a [Value]),
}

struct MapSearch<'a> {
    argument: &'a ArgumentFacts,
    /// The references that were followed. Their targets may refer to themselves.
    visited: HashSet<&'a str>,
    tried: usize,
    found: Vec<ImpossibleMap>,
}

impl<'a> MapSearch<'a> {
    fn new(argument: &'a ArgumentFacts) -> Self {
        Self {
            argument,
            visited: HashSet::new(),
            tried: 0,
            found: Vec::new(),
        }
    }

    fn visit(&mut self, schema: SchemaRef<'a>, path: &ArgumentPath<'_>, depth: usize) {
        if depth >= DEPTH_MAX {
            return;
        }
        if schema
            .reference()
            .is_some_and(|reference| self.visited.insert(reference))
        {
            schema
                .target()
                .into_iter()
                .for_each(|target| self.visit(target, path, depth + 1));
        }
        for branch in schema.branches() {
            self.visit(branch, path, depth + 1);
        }
        self.visit_parts(schema, path, depth + 1);
        self.visit_entries(schema, path, depth + 1);
    }

    fn visit_parts(&mut self, schema: SchemaRef<'a>, path: &ArgumentPath<'_>, depth: usize) {
        let Some(object) = schema.keywords() else {
            return;
        };
        for (name, property) in schema.properties() {
            self.visit(
                property,
                &ArgumentPath {
                    outer: Some(path),
                    step: ArgumentStep::Property(name, Some(object)),
                },
                depth,
            );
        }
        let first = schema
            .prefix_items()
            .map(|items| items.as_values())
            .unwrap_or_default();
        for (place, item) in first.iter().enumerate() {
            let before = first.get(..place).unwrap_or_default();
            self.visit(
                schema.at(item),
                &ArgumentPath {
                    outer: Some(path),
                    step: ArgumentStep::Item(before),
                },
                depth,
            );
        }
        if let Some(items) = schema.items() {
            self.visit(
                items,
                &ArgumentPath {
                    outer: Some(path),
                    step: ArgumentStep::Item(first),
                },
                depth,
            );
        }
    }

    fn visit_entries(&mut self, schema: SchemaRef<'a>, path: &ArgumentPath<'_>, depth: usize) {
        let Some(object) = schema.keywords() else {
            return;
        };
        let values = schema
            .additional_properties()
            .filter(|values| !values.is_false());
        if let Some(values) = values
            && let Some(key) = self.try_map(object, path, |_| true)
        {
            self.visit(
                values,
                &ArgumentPath {
                    outer: Some(path),
                    step: ArgumentStep::Entry(key),
                },
                depth,
            );
        }
        // schemars describes keys that are whole numbers by patterns. Other patterns are rules of
        // texts.
        if !schema.has_pattern_properties()
            || self.try_map(object, path, refused_key::is_number).is_none()
        {
            return;
        }
        for (_, values) in schema.pattern_properties() {
            self.visit(
                values,
                &ArgumentPath {
                    outer: Some(path),
                    step: ArgumentStep::Entry(NUMBER),
                },
                depth,
            );
        }
    }

    /// Tries a map, and returns a key that it accepts. An error for which `is_reason` is false is
    /// not a rejection.
    fn try_map(
        &mut self,
        map: &JsonObject,
        path: &ArgumentPath<'_>,
        is_reason: impl Fn(&str) -> bool,
    ) -> Option<&'static str> {
        self.tried += 1;
        // Each try runs the type several times, and nested maps multiply.
        if self.tried > MAPS_MAX {
            return None;
        }
        let mut expected = String::new();
        for key in KEYS {
            match self.refused(key, map, path).filter(|what| is_reason(what)) {
                // Every key must be refused: a type may read one of them, such as a number or a
                // boolean.
                Some(what) => expected = what,
                None => return Some(key),
            }
        }
        let pointer = path.pointer();
        // Branches of a union may describe the same map.
        if !self.found.iter().any(|known| known.pointer == pointer) {
            self.found.push(ImpossibleMap { pointer, expected });
        }
        None
    }

    /// Returns the expected type of the key, if the type rejects the key itself. The second try
    /// adds required siblings: the first is without them, because a sibling with a wrong sample
    /// value would be rejected before the key.
    fn refused(&self, key: &str, map: &JsonObject, path: &ArgumentPath<'_>) -> Option<String> {
        [false, true].into_iter().find_map(|with_siblings| {
            let arguments = |key: &str| {
                let mut entries = siblings(map, key, with_siblings);
                entries.insert(key.to_owned(), Value::Null);
                path.arguments(Value::Object(entries), with_siblings)
            };
            // serde has no error code for this case. Only the text of its message shows that the
            // key was rejected, and not a value.
            let error = (self.argument.accepts)(&mut arguments(key), self.argument.name).err()?;
            match error
                .message
                .split_once(&format!("invalid type: string \"{key}\", expected "))
            {
                Some((_, expected)) => Some(expected.to_owned()),
                None => self.silently_refused(key, arguments),
            }
        })
    }

    /// Returns the expected type of the key, if an untagged enum rejects the key. The error of such
    /// an enum does not contain the errors of its alternatives. A key that another alternative at
    /// the same place reads is not rejected.
    fn silently_refused(
        &self,
        key: &str,
        arguments: impl Fn(&str) -> JsonObject,
    ) -> Option<String> {
        let trace = |key: &str| (self.argument.trace)(&arguments(key), self.argument.name);
        refused_key::expected(key, &trace(key)?, &trace(NOT_TEXT_KEY)?)
    }
}

impl ArgumentPath<'_> {
    /// Builds arguments with the value at the end of this path.
    fn arguments(&self, inner: Value, with_siblings: bool) -> JsonObject {
        let outer = match &self.step {
            ArgumentStep::Property(name, schema) => {
                let mut object = schema
                    .map(|schema| siblings(schema, name, with_siblings))
                    .unwrap_or_default();
                object.insert((*name).to_owned(), inner);
                Value::Object(object)
            }
            ArgumentStep::Entry(key) => json!({ *key: inner }),
            ArgumentStep::Item(before) => before
                .iter()
                .map(|schema| sample(SchemaRef::document(schema), 0))
                .chain([inner])
                .collect(),
        };
        match (self.outer, outer) {
            (Some(path), outer) => path.arguments(outer, with_siblings),
            (None, Value::Object(object)) => object,
            (None, _) => JsonObject::new(),
        }
    }

    fn pointer(&self) -> String {
        let outer = self.outer.map(ArgumentPath::pointer).unwrap_or_default();
        match self.step {
            ArgumentStep::Property(name, _) => pointer::child(&outer, name),
            ArgumentStep::Entry(_) | ArgumentStep::Item(_) => format!("{outer}/*"),
        }
    }
}

/// Returns the siblings of a property: a tag, by which serde selects a variant, and on demand all
/// required properties.
fn siblings(schema: &JsonObject, name: &str, with_required: bool) -> JsonObject {
    let schema = SchemaRef::document(schema);
    let is_wanted = |other: &str, property: SchemaRef<'_>| {
        property.get("const").is_some()
            || (with_required && schema.required().any(|name| name == other))
    };
    let others = schema
        .properties()
        .filter(|(other, property)| *other != name && is_wanted(other, *property));
    others
        .map(|(other, property)| (other.to_owned(), sample(property, 0)))
        .collect()
}

/// Builds a value that may fit a schema.
fn sample(schema: SchemaRef<'_>, depth: usize) -> Value {
    let first_listed = || schema.get("enum")?.as_array()?.first();
    // A value of the author comes before a value that is made up.
    if let Some(value) = schema
        .get("const")
        .or_else(first_listed)
        .or_else(|| schema.get("default"))
    {
        return value.clone();
    }
    let mut branches = schema.one_of().into_iter().chain(schema.any_of()).flatten();
    if let Some(branch) = branches.next().filter(|_| depth < DEPTH_MAX) {
        return sample(branch, depth + 1);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => json!(""),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => Value::Null,
    }
}
