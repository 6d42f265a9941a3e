//! Builds a tool's JSON Schemas from the types, docs and keywords of its arguments. Models read
//! these schemas, so subschemas are inlined, properties keep the author's order, and keywords
//! without information are removed.

mod properties;

use super::validate::{ArgumentReader, ArgumentValidator};
use crate::{
    text::compact_json::compact,
    tool::{argument::ArgumentSchema, descriptor::ArgumentFacts},
};
use pd_schema::{
    member,
    nullable::{names_nullable, rewrite_nullable},
    reader::SchemaRef,
};
use properties::InputProperties;
use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// The arguments that a tool accepts.
#[derive(Debug, Clone)]
pub struct InputSchema {
    /// The complete schema; its root is an object. Only `set_schema` and `schema_mut` change it.
    pub(crate) schema: Arc<JsonObject>,
    /// What calls are checked by, if that is not the whole schema: a server of others may list
    /// keywords that cannot be compiled.
    checked: Option<Arc<JsonObject>>,
    /// The values of arguments that the caller leaves out.
    pub(crate) defaults: Vec<(String, Value)>,
    /// Optional properties for which `null` counts as absent.
    pub(crate) nullable: Vec<String>,
    reader: ArgumentReader,
    /// Compiled for the first call.
    compiled: OnceLock<Result<Arc<ArgumentValidator>, Box<str>>>,
    /// Set if the schema compiles.
    is_valid: OnceLock<()>,
}

impl InputSchema {
    /// Returns the compiled schema. It is compiled for the first call, and kept.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema is not valid, or exceeds a limit.
    pub(crate) fn validator(&self) -> Result<&Arc<ArgumentValidator>, String> {
        self.compiled
            .get_or_init(|| self.compile().map(Arc::new).map_err(Into::into))
            .as_ref()
            .map_err(ToString::to_string)
    }

    /// Compiles the schema, and keeps only that it compiles. Most tools of a large registry are
    /// never called, and a validator takes as much memory as its schema.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema is not valid, or exceeds a limit.
    pub(crate) fn transient_validator(&self) -> Result<ArgumentValidator, String> {
        let compiled = self.compile();
        if compiled.is_ok() {
            _ = self.is_valid.set(());
        }
        compiled
    }

    /// Checks that the schema compiles, unless that is known.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema is not valid, or exceeds a limit.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.is_valid.get() {
            Some(()) => Ok(()),
            None => self.transient_validator().map(drop),
        }
    }

    /// Replaces the schema. What was compiled is forgotten.
    #[cfg(feature = "overlay")]
    pub(crate) fn set_schema(&mut self, schema: Arc<JsonObject>) {
        self.schema = schema;
        self.forget_compiled();
    }

    /// Returns the schema for changes. What was compiled is forgotten.
    pub(crate) fn schema_mut(&mut self) -> &mut JsonObject {
        self.forget_compiled();
        Arc::make_mut(&mut self.schema)
    }

    /// Sets what calls are checked by, if that is not the whole schema.
    pub fn set_checked(&mut self, checked: Option<Arc<JsonObject>>) {
        self.checked = checked;
        self.forget_compiled();
    }

    /// Leaves formats to a server of others, which may read more than a format has.
    pub fn leave_formats_to_server(&mut self) {
        self.reader = ArgumentReader::OtherServer;
        self.forget_compiled();
    }

    fn forget_compiled(&mut self) {
        self.compiled = OnceLock::new();
        self.is_valid = OnceLock::new();
    }

    fn compile(&self) -> Result<ArgumentValidator, String> {
        let checked = self.checked.as_ref().unwrap_or(&self.schema);
        ArgumentValidator::new(checked, self.reader)
    }

    /// Returns whether this is the value of an argument that the caller left out.
    pub(crate) fn is_default(&self, name: &str, value: &Value) -> bool {
        self.defaults
            .iter()
            .any(|(own, default)| own == name && default == value)
    }

    fn new(
        schema: JsonObject,
        defaults: Vec<(String, Value)>,
        nullable: Vec<String>,
        reader: ArgumentReader,
    ) -> Self {
        // Of all that a registry holds, schemas take most memory.
        Self::shared(Arc::new(compact(schema)), defaults, nullable, reader)
    }

    fn shared(
        schema: Arc<JsonObject>,
        defaults: Vec<(String, Value)>,
        nullable: Vec<String>,
        reader: ArgumentReader,
    ) -> Self {
        Self {
            schema,
            checked: None,
            defaults,
            nullable,
            reader,
            compiled: OnceLock::new(),
            is_valid: OnceLock::new(),
        }
    }

    /// Accepts any object.
    pub(crate) fn anything() -> Self {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        Self::new(schema, Vec::new(), Vec::new(), ArgumentReader::Handler)
    }

    /// Removes `null` for optional arguments, and fills in defaults.
    pub(crate) fn completed(&self, mut arguments: JsonObject) -> JsonObject {
        // Models often send `null` for an optional argument. The disclosed schema does not list
        // `null`, which would cost tokens for every optional argument.
        if arguments.values().any(Value::is_null) {
            arguments.retain(|name, value| !(value.is_null() && self.nullable.contains(name)));
        }
        for (name, value) in &self.defaults {
            if member::find(&arguments, name).is_none() {
                arguments.insert(name.clone(), value.clone());
            }
        }
        arguments
    }

    /// Restricts the schema to one argument, so that its value can be validated alone.
    pub(crate) fn only(&self, argument: &str) -> Self {
        let mut schema = self
            .checked
            .as_ref()
            .unwrap_or(&self.schema)
            .as_ref()
            .clone();
        // The other required arguments are missing where one argument is validated.
        schema.shift_remove("required");
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| name == argument);
        }
        Self {
            // One argument alone is not what serde reads.
            reader: match self.reader {
                ArgumentReader::OtherServer => ArgumentReader::OtherServer,
                ArgumentReader::Handler | ArgumentReader::Serde => ArgumentReader::Handler,
            },
            ..Self::from_schema(schema)
        }
    }

    /// Wraps the schema of an MCP definition. It is kept unchanged, and calls are checked by what
    /// it means.
    pub(crate) fn from_definition(schema: Arc<JsonObject>) -> Self {
        let schema = compacted(schema);
        // Without `nullable`, one schema serves lists and checks.
        let checked = schema.values().any(names_nullable).then(|| {
            let mut checked = (*schema).clone();
            rewrite_nullable(&mut checked);
            Arc::new(checked)
        });
        Self {
            checked,
            ..Self::shared(schema, Vec::new(), Vec::new(), ArgumentReader::Handler)
        }
    }

    /// Wraps a schema that was not generated here. It is kept unchanged.
    pub(crate) fn from_schema(schema: JsonObject) -> Self {
        Self::new(schema, Vec::new(), Vec::new(), ArgumentReader::Handler)
    }
}

/// Returns a schema without spare room, unless others have it, too.
pub(crate) fn compacted(schema: Arc<JsonObject>) -> Arc<JsonObject> {
    match Arc::try_unwrap(schema) {
        Ok(own) => Arc::new(compact(own)),
        Err(shared) => shared,
    }
}

/// Builds the schema of structured results, or returns `None` for results without structure.
pub(crate) fn output_schema(
    describe: fn(&mut SchemaGenerator) -> Option<Schema>,
) -> Option<Arc<JsonObject>> {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let schema = describe(&mut generator)?;
    let mut object = root_object(schema, IntegerLimits::Omitted);
    take_definitions(&mut generator, &mut object, IntegerLimits::Omitted);
    Some(Arc::new(object))
}

/// Builds the schema of a map's key, as serde writes it.
pub(crate) fn result_key_schema(describe: fn(&mut SchemaGenerator) -> Schema) -> JsonObject {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let mut object = root_object(describe(&mut generator), IntegerLimits::Omitted);
    take_definitions(&mut generator, &mut object, IntegerLimits::Omitted);
    object
}

/// Builds the schema of a tool's arguments.
///
/// # Errors
///
/// Returns an error that names the argument at fault.
pub(crate) fn input_schema(arguments: &[ArgumentFacts]) -> Result<InputSchema, String> {
    let mut generator = generator(SchemaSettings::draft2020_12());
    let mut input = match arguments {
        // `Args<T>` can only be the single argument. It supplies the root itself instead of a
        // property.
        [only] => match (only.place)(&mut generator) {
            ArgumentSchema::Root(schema) => input_of_struct(schema)?,
            ArgumentSchema::Property { .. } | ArgumentSchema::Rows(_) => {
                input_of_properties(arguments, &mut generator)?
            }
        },
        _ => input_of_properties(arguments, &mut generator)?,
    };
    let object = input.schema_mut();
    // After all arguments, because each may have added definitions to the generator.
    take_definitions(&mut generator, object, IntegerLimits::Included);
    Ok(input)
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
}

/// Builds the schema of `Args<T>`: the struct's own schema becomes the root.
fn input_of_struct(schema: Schema) -> Result<InputSchema, String> {
    let mut object = root_object(schema, IntegerLimits::Included);
    if object.get("type") != Some(&json!("object")) {
        return Err("the type in `Args` must be a struct, because MCP has an object at the root; take an enum as one argument, \
                    without `Args`"
            .to_owned());
    }
    // serde ignores unknown fields by default, so a misspelled argument would pass without notice.
    // The root is closed unless other keywords may allow further properties: `additionalProperties`
    // sees only the `properties` beside it.
    let root = SchemaRef::document(&object);
    let may_be_open = root.additional_properties().is_some()
        || root.has_pattern_properties()
        || root.get("unevaluatedProperties").is_some()
        || root.has_branches()
        || root.has_reference();
    if !may_be_open {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    let nullable = optional_properties(&mut object);
    Ok(InputSchema::new(
        object,
        Vec::new(),
        nullable,
        ArgumentReader::Serde,
    ))
}

/// Removes `null` from the schemas of `Option` fields, because it counts as absent. Returns the
/// names of all optional fields.
fn optional_properties(root: &mut JsonObject) -> Vec<String> {
    let required: Vec<String> = SchemaRef::document(&*root)
        .required()
        .map(str::to_owned)
        .collect();
    let Some(Value::Object(properties)) = root.get_mut("properties") else {
        return Vec::new();
    };
    let mut nullable = Vec::new();
    for (name, schema) in properties
        .iter_mut()
        .filter(|(name, _)| !required.contains(name))
    {
        if let Ok(owned) = Schema::try_from(schema.take()) {
            *schema = crate::tool::argument::without_null(owned).to_value();
        }
        nullable.push(name.clone());
    }
    nullable
}

fn input_of_properties(
    arguments: &[ArgumentFacts],
    generator: &mut SchemaGenerator,
) -> Result<InputSchema, String> {
    let mut properties = InputProperties::default();
    for argument in arguments {
        match (argument.place)(generator) {
            ArgumentSchema::Property { schema, required } => {
                properties.add(
                    argument,
                    tidy_object(schema, IntegerLimits::Included),
                    required,
                )?;
            }
            ArgumentSchema::Rows(row) => {
                properties.add_rows(argument, &root_object(row, IntegerLimits::Omitted))?
            }
            ArgumentSchema::Root(_) => {
                return Err(format!(
                    "`Args` is every argument, so `{}` cannot be used beside it",
                    argument.name
                ));
            }
        }
    }
    let InputProperties {
        schemas,
        required,
        defaults,
        nullable,
    } = properties;
    let mut root = JsonObject::new();
    // By convention `type` is the first keyword, then the properties.
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), Value::Object(schemas));
    if !required.is_empty() {
        root.insert("required".to_owned(), Value::Array(required));
    }
    root.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(InputSchema::new(
        root,
        defaults,
        nullable,
        ArgumentReader::Serde,
    ))
}

/// Converts a schema into a root object, without the title and description of the Rust type.
fn root_object(schema: Schema, limits: IntegerLimits) -> JsonObject {
    let mut object = tidy_object(schema, limits);
    for key in ["$schema", "title", "description"] {
        object.shift_remove(key);
    }
    object
}

/// Converts a schema into an object, and tidies it for a model.
fn tidy_object(schema: Schema, limits: IntegerLimits) -> JsonObject {
    let mut value = schema.to_value();
    tidy(&mut value, limits);
    match value {
        Value::Object(object) => object,
        Value::Bool(false) => JsonObject::from_iter([("not".to_owned(), json!({}))]),
        _ => JsonObject::new(),
    }
}

/// Removes keywords that cost tokens without information: Rust's number formats and defaults of
/// `null`.
fn tidy(value: &mut Value, limits: IntegerLimits) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(format)) = object.get("format")
                && is_rust_number(format)
            {
                // schemars writes `minimum` and `maximum` for integers up to 16 bits. For wider
                // ones it writes only the format, which is removed below.
                for (key, limit) in limits.for_format(format) {
                    object.entry(key).or_insert(limit);
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

/// The inclusion of the limits of 32-bit numbers in a schema.
#[derive(Clone, Copy, PartialEq)]
enum IntegerLimits {
    /// For arguments: models send larger numbers by accident, such as a timestamp in milliseconds.
    Included,
    /// For results: the server cannot exceed the limits of its own types.
    Omitted,
}

impl IntegerLimits {
    /// Returns the limits that a number format implies. 64-bit formats imply none: JSON numbers
    /// lose precision before those limits. Formats of 128 bits have those of 64, which serde_json
    /// reads.
    fn for_format(self, format: &str) -> Vec<(&'static str, Value)> {
        if self == Self::Omitted {
            return Vec::new();
        }
        match format {
            "int32" => vec![("minimum", i32::MIN.into()), ("maximum", i32::MAX.into())],
            "uint32" => vec![("maximum", u32::MAX.into())],
            "int128" => vec![("minimum", i64::MIN.into()), ("maximum", u64::MAX.into())],
            "uint128" => vec![("maximum", u64::MAX.into())],
            _ => Vec::new(),
        }
    }
}

fn is_rust_number(format: &str) -> bool {
    let bits = format.trim_start_matches("uint").trim_start_matches("int");
    matches!(format, "float" | "double" | "int" | "uint")
        || (bits != format && bits.parse::<u8>().is_ok())
}

/// Moves the generator's definitions into `$defs`. Recursive types need them even when subschemas
/// are inlined.
fn take_definitions(generator: &mut SchemaGenerator, root: &mut JsonObject, limits: IntegerLimits) {
    let mut definitions = generator.take_definitions(true);
    if definitions.is_empty() {
        return;
    }
    definitions
        .values_mut()
        .for_each(|definition| tidy(definition, limits));
    root.insert("$defs".to_owned(), Value::Object(definitions));
}
