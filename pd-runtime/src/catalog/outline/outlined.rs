//! Reduces one schema to its type, and to the types of what is inside.

use crate::catalog::header_arguments::HEADER;
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The depth to which objects and arrays inside arguments are outlined.
const DEPTH_MAX: usize = 2;
/// The most schemas that are read for one tool, with branches inside branches. What is beyond is
/// listed by type alone.
const SCHEMAS_MAX: usize = 2_048;
/// The most schemas inside each other that are read, with branches. It bounds the stack.
const NESTING_MAX: usize = 24;
/// The most values of an enumeration that are listed for a required argument.
const REQUIRED_VALUES_MAX: usize = 20;
/// The same for an optional argument. Each value costs tokens in every list, and few calls use it.
const OPTIONAL_VALUES_MAX: usize = 3;
/// The longest value of an enumeration that is listed, in bytes.
const VALUE_MAX: usize = 64;

/// Whether a call needs a value for the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirement {
    Required,
    Optional,
}

/// The outline of one schema.
#[derive(Debug, Default)]
pub(super) struct OutlinedSchema {
    /// The JSON types other than null. None if any value is accepted.
    types: Vec<String>,
    /// The enumeration, if the schema has one, without null.
    values: Option<Vec<Value>>,
    properties: Vec<(String, JsonObject)>,
    /// The names that an object must have, also those that other branches declare.
    required: Vec<String>,
    items: Option<JsonObject>,
    /// Whether an object takes names that are not in `properties`.
    is_map: bool,
    header: Option<Value>,
}

impl OutlinedSchema {
    /// Outlines the root of an input schema.
    pub(super) fn new(schema: SchemaRef<'_>, requirement: Requirement) -> Self {
        let mut budget = ReadBudget {
            schemas: SCHEMAS_MAX,
            nesting: NESTING_MAX,
        };
        let mut outline = read(schema, requirement, DEPTH_MAX + 1, &mut budget);
        // The arguments of a call are an object, whatever the branches of a root union say.
        outline.types = vec!["object".to_owned()];
        (outline.values, outline.items) = (None, None);
        outline
    }

    /// Renders the outline as a schema.
    pub(super) fn into_object(mut self) -> JsonObject {
        let mut object = JsonObject::new();
        let is_object = self.has_type("object");
        let is_array = self.has_type("array");
        object.insert("type".to_owned(), self.type_keyword());
        if let Some(values) = self
            .values
            .take()
            .filter(|values| !values.is_empty() && !is_object && !is_array)
        {
            object.insert("enum".to_owned(), Value::Array(values));
        }
        if is_array {
            let items = self
                .items
                .take()
                // Some providers refuse an array without a type of its items.
                .unwrap_or_else(|| JsonObject::from_iter([("type".to_owned(), json!("string"))]));
            object.insert("items".to_owned(), Value::Object(items));
        }
        if is_object {
            self.write_members(&mut object);
        }
        object.extend(self.header.map(|header| (HEADER.to_owned(), header)));
        object
    }

    /// Writes the members of an object, required ones first.
    fn write_members(&mut self, object: &mut JsonObject) {
        let properties = std::mem::take(&mut self.properties);
        if properties.is_empty() {
            if self.is_map {
                object.insert("additionalProperties".to_owned(), Value::Bool(true));
            }
            return;
        }
        let (required, optional): (Vec<_>, Vec<_>) = properties
            .into_iter()
            .partition(|(name, _)| self.required.contains(name));
        let names: Vec<Value> = required.iter().map(|(name, _)| json!(name)).collect();
        let members = required
            .into_iter()
            .chain(optional)
            .map(|(name, schema)| (name, Value::Object(schema)));
        object.insert("properties".to_owned(), Value::Object(members.collect()));
        if !names.is_empty() {
            object.insert("required".to_owned(), Value::Array(names));
        }
    }

    fn has_type(&self, kind: &str) -> bool {
        self.types.iter().any(|known| known == kind)
    }

    fn type_keyword(&self) -> Value {
        match self.types.as_slice() {
            // A list of types is itself a type, which some providers require of every schema.
            [] => json!(["string", "number", "boolean", "object", "array"]),
            [kind] => json!(kind),
            kinds => json!(kinds),
        }
    }

    /// Adds the alternatives of a union.
    fn merge_branches(&mut self, branches: Vec<Self>) {
        // A branch for null only makes the value optional, and an outline lists no null.
        let mut branches = branches.into_iter().filter(|branch| !branch.is_null());
        let Some(first) = branches.next() else { return };
        let rest: Vec<Self> = branches.collect();
        let are_alike = rest.iter().all(|branch| branch.types == first.types);
        let mut union = first;
        for branch in rest {
            // Alternatives of another type are left out: the first one is as valid, and a schema of
            // one type survives every client.
            if are_alike {
                union.add_alternative(branch);
            }
        }
        self.absorb(union);
    }

    /// Returns whether only null is accepted.
    fn is_null(&self) -> bool {
        self.values.as_ref().is_some_and(Vec::is_empty)
    }

    /// Adds what another alternative accepts: its values and properties. Only what all alternatives
    /// require is required.
    fn add_alternative(&mut self, other: Self) {
        self.values = match (self.values.take(), other.values) {
            (Some(mut values), Some(others)) => {
                let new: Vec<_> = others
                    .into_iter()
                    .filter(|value| !values.contains(value))
                    .collect();
                values.extend(new);
                Some(values)
            }
            _ => None,
        };
        self.required.retain(|name| other.required.contains(name));
        for (name, schema) in other.properties {
            if !self.properties.iter().any(|(known, _)| *known == name) {
                self.properties.push((name, schema));
            }
        }
        self.items = self.items.take().or(other.items);
        self.is_map |= other.is_map;
    }

    /// Adds what another schema demands beside this one.
    fn absorb(&mut self, other: Self) {
        if self.types.is_empty() {
            self.types = other.types;
        }
        self.values = self.values.take().or(other.values);
        for (name, schema) in other.properties {
            match self.properties.iter_mut().find(|(known, _)| *known == name) {
                // A branch often repeats a name only to demand it, without a type.
                Some((_, known)) if known.get("type").is_none_or(Value::is_array) => {
                    *known = schema
                }
                Some(_) => {}
                None => self.properties.push((name, schema)),
            }
        }
        self.required.extend(other.required);
        self.items = self.items.take().or(other.items);
        self.is_map |= other.is_map;
    }
}

/// What may still be read.
struct ReadBudget {
    schemas: usize,
    nesting: usize,
}

/// Reads a schema, within a budget.
fn read(
    schema: SchemaRef<'_>,
    requirement: Requirement,
    depth: usize,
    budget: &mut ReadBudget,
) -> OutlinedSchema {
    if budget.schemas == 0 || budget.nesting == 0 {
        return OutlinedSchema::default();
    }
    budget.schemas -= 1;
    // The nesting is given back after the read. The number of schemas is not, because it bounds the
    // work of the whole tool.
    budget.nesting -= 1;
    let outline = read_within(schema, requirement, depth, budget);
    budget.nesting += 1;
    outline
}

fn read_within(
    schema: SchemaRef<'_>,
    requirement: Requirement,
    depth: usize,
    budget: &mut ReadBudget,
) -> OutlinedSchema {
    let mut outline = OutlinedSchema::default();
    let resolved = schema.resolved();
    outline.header = schema.get(HEADER).or_else(|| resolved.get(HEADER)).cloned();
    // Types come first: values and members are read by the types that are known.
    read_types(resolved, &mut outline);
    read_values(resolved, &mut outline);
    read_members(resolved, depth, budget, &mut outline);
    for branch in resolved.all_of().into_iter().flatten() {
        outline.absorb(read(branch, requirement, depth, budget));
    }
    let unions = [resolved.any_of(), resolved.one_of()];
    for branches in unions.into_iter().flatten() {
        let branches = branches.map(|branch| read(branch, requirement, depth, budget));
        outline.merge_branches(branches.collect());
    }
    limit_values(requirement, depth, &mut outline);
    outline
}

fn read_types(schema: SchemaRef<'_>, outline: &mut OutlinedSchema) {
    let named: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        // Many schemas of objects and arrays name no type.
        _ if schema.has_properties() => vec!["object"],
        _ if schema.get("items").is_some() => vec!["array"],
        _ => return,
    };
    if named == ["null"] {
        outline.values = Some(Vec::new());
    }
    let named = named.into_iter().filter(|kind| *kind != "null");
    for kind in named {
        if !outline.has_type(kind) {
            outline.types.push(kind.to_owned());
        }
    }
    // An integer is a number, and both in one list say nothing more.
    if outline.has_type("number") {
        outline.types.retain(|kind| kind != "integer");
    }
}

fn read_values(schema: SchemaRef<'_>, outline: &mut OutlinedSchema) {
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return,
    };
    let values: Vec<Value> = values
        .into_iter()
        .filter(|value| !value.is_null())
        .collect();
    if outline.types.is_empty() {
        for value in &values {
            let kind = pd_schema::accepted_types::json_type(value).to_owned();
            if !outline.types.contains(&kind) {
                outline.types.push(kind);
            }
        }
    }
    outline.values = Some(values);
}

fn read_members(
    schema: SchemaRef<'_>,
    depth: usize,
    budget: &mut ReadBudget,
    outline: &mut OutlinedSchema,
) {
    let required: Vec<&str> = schema.required().collect();
    let is_object = outline.types.is_empty() || outline.has_type("object");
    outline.is_map = outline.has_type("object") && !schema.is_closed();
    if depth == 0 {
        return;
    }
    outline
        .required
        .extend(required.iter().map(|name| (*name).to_owned()));
    if is_object {
        for (name, property) in schema.properties() {
            let requirement = if required.contains(&name) {
                Requirement::Required
            } else {
                Requirement::Optional
            };
            let listed = read(property, requirement, depth - 1, budget).into_object();
            outline.properties.push((name.to_owned(), listed));
        }
    }
    let items = schema.items().filter(|items| items.keywords().is_some());
    outline.items =
        items.map(|items| read(items, Requirement::Required, depth - 1, budget).into_object());
}

/// Drops enumerations that are too long for a list, and those that some providers refuse: they
/// accept enumerations of texts only.
fn limit_values(requirement: Requirement, depth: usize, outline: &mut OutlinedSchema) {
    let most = match requirement {
        Requirement::Required => REQUIRED_VALUES_MAX,
        Requirement::Optional if depth >= DEPTH_MAX => OPTIONAL_VALUES_MAX,
        // Inside of objects, few calls get so far.
        Requirement::Optional => 0,
    };
    // An empty list means that only null is accepted, which the caller of this looks at.
    if let Some(values) = &outline.values
        && !values.is_empty()
        && (values.len() > most
            || !values
                .iter()
                .all(|value| value.as_str().is_some_and(|text| text.len() <= VALUE_MAX)))
    {
        outline.values = None;
    }
}
