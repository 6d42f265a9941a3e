//! Validates arguments against the disclosed schema, and reports every violation at once with its
//! JSON pointer.

mod repeated_reads;

use pd_schema::{CompiledSchema, json_text, reader::SchemaRef, violations::SchemaViolations};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The message for valid arguments that serde would read too often.
const TOO_MANY_READS: &str = "fits, but would take too long to read: each level doubles the work, because several forms \
                              of this value have the same nested fields; nest it less deep";

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct ArgumentValidator {
    compiled: CompiledSchema,
    properties: Vec<String>,
    /// The schema itself, if serde may read parts of the arguments repeatedly.
    repeated: Option<Value>,
}

/// What reads the arguments after the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentReader {
    /// A handler, which takes them as they are.
    Handler,
    /// serde, into the types that the schema was generated from.
    Serde,
    /// A server of others, which takes what it can read. Often that is more than a format has.
    OtherServer,
}

/// Arguments that do not fit a schema.
#[derive(Debug)]
pub(crate) struct InvalidArguments {
    pub(crate) violations: SchemaViolations,
    /// The arguments as they were sent. Empty if they cannot be repeated.
    pub(crate) arguments: JsonObject,
}

impl From<SchemaViolations> for InvalidArguments {
    fn from(violations: SchemaViolations) -> Self {
        Self {
            violations,
            arguments: JsonObject::new(),
        }
    }
}

impl InvalidArguments {
    /// Returns the arguments with the values of the texts that hold the JSON of what the schema
    /// wants there. Nothing changes its meaning. The result has yet to be validated. Returns `None`
    /// if there is no such text.
    pub(crate) fn with_texts_read(&self) -> Option<JsonObject> {
        json_text::with_values(&self.arguments, &self.violations.texts.0)
    }
}

impl ArgumentValidator {
    /// Compiles the schema.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema is not valid, or exceeds a limit.
    pub(super) fn new(checked: &JsonObject, reader: ArgumentReader) -> Result<Self, String> {
        let root = checked.get("type");
        if root.and_then(Value::as_str) != Some("object") {
            return Err(
                "its root must have `\"type\": \"object\"`, since MCP sends arguments as an object"
                    .to_owned(),
            );
        }
        let schema = Value::Object(checked.clone());
        let mut compiled = CompiledSchema::new(&schema)?;
        if reader == ArgumentReader::OtherServer {
            compiled = compiled.with_open_formats();
        }
        let properties = SchemaRef::document(checked)
            .properties()
            .map(|(name, _)| name.to_owned())
            .collect();
        // Only serde reads values repeatedly, and it reads only typed arguments.
        let may_repeat = reader == ArgumentReader::Serde && repeated_reads::may_repeat(&schema);
        Ok(Self {
            compiled,
            properties,
            repeated: may_repeat.then_some(schema),
        })
    }

    /// Returns whether validation of this many bytes may take so long that it must run on the
    /// blocking pool.
    pub(crate) fn may_take_long(&self, bytes: usize) -> bool {
        self.compiled.may_take_long(bytes)
    }

    /// Validates the arguments, and returns them unchanged.
    ///
    /// # Errors
    ///
    /// Returns the violations, and the arguments.
    pub(crate) fn validate(&self, arguments: JsonObject) -> Result<JsonObject, InvalidArguments> {
        let instance = Value::Object(arguments);
        let outcome = self.check(&instance);
        let arguments = match instance {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        };
        match outcome {
            Ok(()) => Ok(arguments),
            Err(violations) => Err(InvalidArguments {
                violations,
                arguments,
            }),
        }
    }

    fn check(&self, instance: &Value) -> Result<(), SchemaViolations> {
        self.compiled.validate(instance, &self.properties)?;
        // The estimate costs as much as a call, so tools without such schemas must not pay for it.
        let repeated = self
            .repeated
            .as_ref()
            .and_then(|schema| repeated_reads::repeated(schema, instance));
        match repeated {
            Some((argument, _)) => Err(SchemaViolations::from_argument(
                argument,
                TOO_MANY_READS.to_owned(),
            )),
            None => Ok(()),
        }
    }
}
