//! Arguments against the schema that was disclosed: every violation at once, each at its JSON pointer.

use super::{depth, schema::Input};
use jsonschema::error::{ValidationError, ValidationErrorKind};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;

/// The most violations told at once; the rest are counted.
const VIOLATIONS_MAX: usize = 20;
/// The longest message, in characters: it may quote what the caller sent.
const MESSAGE_MAX: usize = 300;

/// One way in which arguments do not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Violation {
    /// Where, as a JSON pointer (RFC 6901) into the arguments; for a missing one, where it should be.
    pub(crate) pointer: String,
    /// What does not fit.
    pub(crate) message: String,
}

/// All the ways in which arguments do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violations {
    /// The first of them.
    pub(crate) told: Vec<Violation>,
    /// How many there are.
    pub(crate) total: usize,
}

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct Validator {
    compiled: jsonschema::Validator,
    properties: Vec<String>,
}

impl Validator {
    /// Compiles the schema.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub(crate) fn new(input: &Input) -> Result<Self, String> {
        let root = input.schema.get("type");
        if root.and_then(Value::as_str) != Some("object") {
            return Err("its root must say `\"type\": \"object\"`, since MCP sends arguments as an object".to_owned());
        }
        let schema = Value::Object((*input.schema).clone());
        depth::check(&schema)?;
        let compiled = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .map_err(|error| shortened(format!("{error}, at `{}`", error.instance_path())))?;
        let properties = match input.schema.get("properties") {
            Some(Value::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        Ok(Self { compiled, properties })
    }

    /// Judges the arguments, which come back untouched.
    pub(crate) fn validate(&self, arguments: JsonObject) -> Result<JsonObject, Violations> {
        let instance = Value::Object(arguments);
        if self.compiled.is_valid(&instance) {
            return Ok(match instance {
                Value::Object(arguments) => arguments,
                _ => JsonObject::new(),
            });
        }
        let mut violations = Violations::none();
        for error in self.compiled.iter_errors(&instance) {
            self.tell(&error, &mut violations);
        }
        Err(violations)
    }

    fn tell(&self, error: &ValidationError<'_>, violations: &mut Violations) {
        let at = error.instance_path().to_string();
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                violations.add(format!("{at}/{}", escaped(name)), || "is required".to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    violations.add(format!("{at}/{}", escaped(name)), || self.unknown(&at, name));
                }
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                match likeliest(&at, context) {
                    Some(branch) => branch.iter().for_each(|error| self.tell(error, violations)),
                    None => match choices(context) {
                        Some((pointer, choices)) => violations.add(pointer, || format!("is none of {choices}")),
                        None => violations.add(at, || error.to_string()),
                    },
                }
            }
            _ => violations.add(at, || error.to_string()),
        }
    }

    fn unknown(&self, at: &str, name: &str) -> String {
        if !at.is_empty() {
            return "is not a property here".to_owned();
        }
        match crate::nearest::nearest(name, &self.properties.iter().map(String::as_str).collect::<Vec<_>>()) {
            Some(near) => format!("is no argument of this tool; did you mean `{near}`?"),
            None if self.properties.is_empty() => "is no argument of this tool, which takes none".to_owned(),
            None => format!("is no argument of this tool, which takes {}", self.properties.join(", ")),
        }
    }
}

impl Violations {
    /// The one violation of arguments that are no object: the root's.
    pub(crate) fn not_an_object() -> Self {
        let root =
            Violation { pointer: String::new(), message: "is not an object; send {\"argument\": value}".to_owned() };
        Self { told: vec![root], total: 1 }
    }

    pub(crate) fn none() -> Self {
        Self { told: Vec::new(), total: 0 }
    }

    /// The one violation of an argument, in words that are as long as they must be.
    pub(crate) fn of_argument(argument: &str, message: String) -> Self {
        Self { told: vec![Violation { pointer: format!("/{}", escaped(argument)), message }], total: 1 }
    }

    /// Adds a violation by one argument as a whole.
    pub(crate) fn add_at(&mut self, argument: &str, message: impl FnOnce() -> String) {
        self.add(format!("/{}", escaped(argument)), message);
    }

    fn add(&mut self, pointer: String, message: impl FnOnce() -> String) {
        self.total += 1;
        if self.told.len() < VIOLATIONS_MAX {
            self.told.push(Violation { pointer: shortened(pointer), message: shortened(message()) });
        }
    }

    /// The violations in one line, for logs and messages to authors.
    pub(crate) fn in_words(&self) -> String {
        let told: Vec<_> = self.told.iter().map(|one| format!("`{}` {}", one.pointer, one.message)).collect();
        told.join("; ")
    }
}

/// The branch that was meant, where one alone is right about the value's kind and its tag: what is wrong with it helps
/// more than that no branch fits.
fn likeliest<'a>(at: &str, branches: &'a [Vec<ValidationError<'static>>]) -> Option<&'a [ValidationError<'static>]> {
    let rules_out = |error: &ValidationError<'_>| match error.kind() {
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => true,
        ValidationErrorKind::Type { .. } => error.instance_path().to_string() == at,
        _ => false,
    };
    let mut meant = branches.iter().filter(|branch| !branch.iter().any(rules_out));
    meant.next().filter(|_| meant.next().is_none()).map(Vec::as_slice)
}

/// The values that would have fitted, and where, if one value tells all the branches apart.
fn choices(branches: &[Vec<ValidationError<'static>>]) -> Option<(String, String)> {
    let mut pointer = None;
    let mut choices = Vec::new();
    for branch in branches {
        let (at, fitting) = branch.iter().find_map(|error| match error.kind() {
            ValidationErrorKind::Constant { expected_value } => Some((error, expected_value.to_string())),
            ValidationErrorKind::Enum { options } => {
                let options = options.as_array()?.iter().map(Value::to_string).collect::<Vec<_>>();
                Some((error, options.join(", ")))
            }
            _ => None,
        })?;
        pointer.get_or_insert_with(|| at.instance_path().to_string());
        choices.push(fitting);
    }
    pointer.map(|pointer| (pointer, choices.join(", ")))
}

/// RFC 6901, section 3.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MESSAGE_MAX) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
