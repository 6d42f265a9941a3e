//! A tool's JSON Schemas, put together from its arguments' types, docs and keywords.
//! They are written for a model to read: inlined, in the author's order, without words that say nothing.

mod properties;

use crate::tool::{argument::Place, descriptor::ArgumentFacts};
use properties::Properties;
use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a tool accepts.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// The complete schema; its root is an object.
    pub(crate) schema: Arc<JsonObject>,
    /// Values of arguments that the caller leaves out.
    pub(crate) defaults: Vec<(String, Value)>,
    /// Optional properties for which `null` counts as absent.
    pub(crate) nullable: Vec<String>,
    /// Whether serde reads the arguments into types that the schema was made from.
    pub(crate) is_typed: bool,
}

impl Input {
    /// Any object.
    pub(crate) fn anything() -> Self {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        Self { schema: Arc::new(schema), defaults: Vec::new(), nullable: Vec::new(), is_typed: false }
    }

    /// The arguments with `null` taken as absent and defaults filled in.
    pub(crate) fn completed(&self, mut arguments: JsonObject) -> JsonObject {
        arguments.retain(|name, value| !(value.is_null() && self.nullable.contains(name)));
        for (name, value) in &self.defaults {
            if !arguments.contains_key(name) {
                arguments.insert(name.clone(), value.clone());
            }
        }
        arguments
    }

    /// What one argument must be, whatever the others are.
    pub(crate) fn only(&self, argument: &str) -> Self {
        let mut schema = (*self.schema).clone();
        schema.shift_remove("required");
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| name == argument);
        }
        Self::of_schema(schema)
    }

    /// A schema that someone else wrote; it is kept as it is.
    pub(crate) fn of_schema(schema: JsonObject) -> Self {
        Self { schema: Arc::new(schema), defaults: Vec::new(), nullable: Vec::new(), is_typed: false }
    }
}

/// The schema of structured results; `None` where results have no structure.
pub(crate) fn of_output(describe: fn(&mut SchemaGenerator) -> Option<Schema>) -> Option<Arc<JsonObject>> {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let schema = describe(&mut generator)?;
    let mut object = root_object(schema, Limits::Unsaid);
    take_definitions(&mut generator, &mut object, Limits::Unsaid);
    Some(Arc::new(object))
}

/// The schema of a map's key, as serde writes it.
pub(crate) fn of_result_key(describe: fn(&mut SchemaGenerator) -> Schema) -> JsonObject {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let mut object = root_object(describe(&mut generator), Limits::Unsaid);
    take_definitions(&mut generator, &mut object, Limits::Unsaid);
    object
}

/// The schema of a tool's arguments.
///
/// # Errors
///
/// Says which argument is at fault.
pub(crate) fn of_arguments(arguments: &[ArgumentFacts]) -> Result<Input, String> {
    let mut generator = generator(SchemaSettings::draft2020_12());
    let mut input = match arguments {
        [only] => match (only.place)(&mut generator) {
            Place::Root(schema) => whole(schema)?,
            Place::Property { .. } | Place::Rows(_) => one_by_one(arguments, &mut generator)?,
        },
        _ => one_by_one(arguments, &mut generator)?,
    };
    let object = Arc::make_mut(&mut input.schema);
    take_definitions(&mut generator, object, Limits::Told);
    Ok(input)
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings.with(|settings| settings.inline_subschemas = true).into_generator()
}

/// `Args<T>`: the struct's own schema is the root.
fn whole(schema: Schema) -> Result<Input, String> {
    let mut object = root_object(schema, Limits::Told);
    if object.get("type") != Some(&json!("object")) {
        return Err("the type in `Args` must be a struct: MCP wants an object at the root".to_owned());
    }
    let open =
        ["additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"];
    if !open.iter().any(|key| object.contains_key(*key)) {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    let nullable = optional_properties(&mut object);
    Ok(Input { schema: Arc::new(object), defaults: Vec::new(), nullable, is_typed: true })
}

/// `Option` fields of a struct: their schemas lose `null`, which counts as absent.
fn optional_properties(root: &mut JsonObject) -> Vec<String> {
    let required: Vec<String> = match root.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = root.get_mut("properties") else { return Vec::new() };
    let mut nullable = Vec::new();
    for (name, schema) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
        if let Ok(owned) = Schema::try_from(schema.take()) {
            *schema = crate::tool::argument::without_null(owned).to_value();
        }
        nullable.push(name.clone());
    }
    nullable
}

fn one_by_one(arguments: &[ArgumentFacts], generator: &mut SchemaGenerator) -> Result<Input, String> {
    let mut properties = Properties::default();
    for argument in arguments {
        match (argument.place)(generator) {
            Place::Property { schema, required } => {
                properties.add(argument, object_of(schema, Limits::Told), required)?;
            }
            Place::Rows(row) => properties.add_rows(argument, &root_object(row, Limits::Unsaid))?,
            Place::Root(_) => {
                return Err(format!("`Args` is every argument, so `{}` cannot stand beside it", argument.name));
            }
        }
    }
    let Properties { schemas, required, defaults, nullable } = properties;
    let mut root = JsonObject::new();
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), Value::Object(schemas));
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    root.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(Input { schema: Arc::new(root), defaults, nullable, is_typed: true })
}

/// A schema as a root object, without the words that describe a Rust type.
fn root_object(schema: Schema, limits: Limits) -> JsonObject {
    let mut object = object_of(schema, limits);
    for key in ["$schema", "title", "description"] {
        object.shift_remove(key);
    }
    object
}

/// A schema as an object, tidied for a model.
fn object_of(schema: Schema, limits: Limits) -> JsonObject {
    let mut value = schema.to_value();
    tidy(&mut value, limits);
    match value {
        Value::Object(object) => object,
        Value::Bool(false) => JsonObject::from_iter([("not".to_owned(), json!({}))]),
        _ => JsonObject::new(),
    }
}

/// Drops what costs tokens and says nothing: Rust's number formats and defaults of `null`.
fn tidy(value: &mut Value, limits: Limits) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(format)) = object.get("format")
                && is_rust_number(format)
            {
                // schemars gives limits up to 16 bits; above, the format alone would have said them.
                for (key, limit) in limits.of(format) {
                    object.entry(key).or_insert_with(|| limit.into());
                }
                object.shift_remove("format");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.shift_remove("default");
            }
            object.values_mut().for_each(|value| tidy(value, limits));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, limits)),
        _ => {}
    }
}

/// Whether a schema tells the limits of 32-bit numbers.
#[derive(Clone, Copy, PartialEq)]
enum Limits {
    /// Of arguments: a model sends larger ones by accident, such as a timestamp in milliseconds.
    Told,
    /// Of results: the server keeps them by itself.
    Unsaid,
}

impl Limits {
    /// Beyond 64 bits JSON ends first.
    fn of(self, format: &str) -> Vec<(&'static str, i64)> {
        match format {
            "int32" if self == Self::Told => vec![("minimum", i32::MIN.into()), ("maximum", i32::MAX.into())],
            "uint32" if self == Self::Told => vec![("maximum", u32::MAX.into())],
            _ => Vec::new(),
        }
    }
}

fn is_rust_number(format: &str) -> bool {
    let bits = format.trim_start_matches("uint").trim_start_matches("int");
    matches!(format, "float" | "double" | "int" | "uint") || (bits != format && bits.parse::<u8>().is_ok())
}

/// Recursive types still need `$defs`.
fn take_definitions(generator: &mut SchemaGenerator, root: &mut JsonObject, limits: Limits) {
    let mut definitions = generator.take_definitions(true);
    if definitions.is_empty() {
        return;
    }
    definitions.values_mut().for_each(|definition| tidy(definition, limits));
    root.insert("$defs".to_owned(), Value::Object(definitions));
}
