//! Validates arguments against the disclosed schema, and reports every violation at once with its
//! JSON pointer.

mod choices;
mod explain;
mod finding;
mod pattern;
mod union;
mod units;
mod variants;

use super::{
    schema::InputSchema,
    schema_depth::{self, UnfoldedSize},
};
use explain::ViolationExplainer;
use jsonschema::{PatternOptions, ValidationOptions};
use pattern::{MatchDeadline, UNDECIDED};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;
use std::sync::OnceLock;
use units::{SchemaUnits, UnitMemo};

/// The maximum number of violations in one answer; the rest are counted.
const VIOLATIONS_MAX: usize = 20;
/// The maximum length of a message, in characters. Messages may quote arguments.
const MESSAGE_MAX: usize = 300;
/// The maximum length of a message that lists allowed values, in characters.
const LIST_MAX: usize = 1_500;
/// The maximum length of all such messages of a call together, in characters. Further ones are cut
/// to `MESSAGE_MAX`.
const LISTS_MAX: usize = 4_000;
/// The maximum unfolded size of a schema that jsonschema validates as a whole. It validates a value
/// once for each path of references to it, unless the path is recursive.
const UNFOLDED_MAX: u64 = 100_000;
/// The maximum unfolded size of a schema that cannot be cut, where jsonschema collects the errors
/// of the whole.
const EXPLAINED_WHOLE: u64 = 10_000;
/// The maximum size of arguments that are validated without a switch to the blocking pool.
const BYTES_AT_ONCE: usize = 64 << 10;
/// The message where no single error can be isolated.
const UNEXPLAINED: &str = "does not fit this tool's inputSchema, whose references do not show which part is wrong";
/// The message for valid arguments that serde would read too often.
const TOO_MANY_READS: &str = "fits, but would take too long to read: each level doubles the work, because several forms \
                              of this value have the same nested fields; nest it less deep";

/// One violation of the input schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SchemaViolation {
    /// The JSON pointer (RFC 6901) into the arguments. For a missing argument it points to where it
    /// belongs.
    pub(crate) pointer: String,
    /// The message.
    pub(crate) message: String,
}

/// All violations of one call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaViolations {
    /// The first ones, at most `VIOLATIONS_MAX`.
    pub(crate) told: Vec<SchemaViolation>,
    /// The number of all violations.
    pub(crate) total: usize,
    /// The characters that messages with lists have used so far.
    listed: usize,
}

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct ArgumentValidator {
    schema: Value,
    compiled: jsonschema::Validator,
    properties: Vec<String>,
    /// The schema cut at its references, compiled when arguments first fail.
    units: OnceLock<Option<SchemaUnits>>,
    unfolded: UnfoldedSize,
    /// `true` if units replace the whole schema, because they validate each value once.
    is_by_units: bool,
    /// `true` if a pattern backtracks, which may take exponential time.
    backtracks: bool,
    /// `true` if serde may read parts of the arguments repeatedly.
    repeats: bool,
}

impl ArgumentValidator {
    /// Compiles the schema.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema is not valid, or exceeds a limit.
    pub(crate) fn new(input: &InputSchema) -> Result<Self, String> {
        let root = input.schema.get("type");
        if root.and_then(Value::as_str) != Some("object") {
            return Err("its root must have `\"type\": \"object\"`, since MCP sends arguments as an object".to_owned());
        }
        let mut schema = Value::Object((*input.schema).clone());
        // Before anything recurses into the schema.
        let unfolded = schema_depth::check(&schema)?;
        let backtracks = pattern::replace(&mut schema);
        let is_by_units = unfolded.size > UNFOLDED_MAX;
        let units = OnceLock::new();
        if is_by_units {
            // Compiled now: without units this schema has no bound on time, which is an error of
            // the registry and not of a call.
            let cut = SchemaUnits::new(&schema).ok_or_else(|| too_many_schemas(unfolded.size))?;
            let _ = units.set(Some(cut));
        }
        let compiled =
            options().build(&schema).map_err(|error| shortened(format!("{error}, at `{}`", error.instance_path())))?;
        let properties = match input.schema.get("properties") {
            Some(Value::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let repeats = input.is_typed && variants::may_repeat(&schema);
        Ok(Self { schema, compiled, properties, units, unfolded, is_by_units, backtracks, repeats })
    }

    /// Returns whether validation of this many bytes may take so long that it must run on the
    /// blocking pool.
    pub(crate) fn may_take_long(&self, bytes: usize) -> bool {
        self.backtracks || bytes > BYTES_AT_ONCE
    }

    /// Validates the arguments, and returns them unchanged.
    pub(crate) fn validate(&self, arguments: JsonObject) -> Result<JsonObject, SchemaViolations> {
        let instance = Value::Object(arguments);
        self.check(&instance)?;
        Ok(match instance {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        })
    }

    fn check(&self, arguments: &Value) -> Result<(), SchemaViolations> {
        let watch = self.backtracks.then(MatchDeadline::new);
        // A text that was given up on makes every other result meaningless, so it is reported
        // alone. The check repeats after `explain`, which matches the patterns once more.
        let undecided = || Some(SchemaViolations::at(watch.as_ref()?.undecided(arguments)?, UNDECIDED.to_owned()));
        let fits = self.fits(arguments);
        if let Some(undecided) = undecided() {
            return Err(undecided);
        }
        if !fits {
            let violations = self.explain(arguments);
            return Err(undecided().unwrap_or(violations));
        }
        // The estimate costs as much as a call, so tools without such schemas must not pay for it.
        match self.repeats.then(|| variants::repeated(&self.schema, arguments)).flatten() {
            Some((argument, _)) => Err(SchemaViolations::from_argument(argument, TOO_MANY_READS.to_owned())),
            None => Ok(()),
        }
    }

    fn fits(&self, arguments: &Value) -> bool {
        let Some(units) = self.units.get().and_then(Option::as_ref).filter(|_| self.is_by_units) else {
            return self.compiled.is_valid(arguments);
        };
        let _memo = UnitMemo::new();
        units.get(0).is_some_and(|root| root.is_valid(arguments))
    }

    /// Explains why arguments are not valid, in time and memory linear in the arguments and the
    /// schema.
    fn explain(&self, arguments: &Value) -> SchemaViolations {
        let is_small = !self.unfolded.is_recursive && self.unfolded.size <= EXPLAINED_WHOLE;
        let units = || self.units.get_or_init(|| SchemaUnits::new(&self.schema)).as_ref();
        let violations = match (self.unfolded.has_references, units) {
            (false, _) => ViolationExplainer::explain_whole(&self.compiled, &self.properties, arguments),
            (true, units) => match units() {
                Some(units) => ViolationExplainer::explain_units(units, &self.properties, arguments),
                // jsonschema collects the errors of every branch at every level, which is
                // exponential in recursive schemas. Large or recursive ones without units get one
                // general message.
                None if is_small => ViolationExplainer::explain_whole(&self.compiled, &self.properties, arguments),
                None => SchemaViolations::none(),
            },
        };
        if violations.total > 0 { violations } else { SchemaViolations::from_root(UNEXPLAINED.to_owned()) }
    }
}

/// Returns the options for all schemas.
fn options() -> ValidationOptions<'static> {
    // jsonschema matches names in `patternProperties` itself, so only its global limit applies to
    // them.
    let names = PatternOptions::fancy_regex().backtrack_limit(pattern::NAME_STEPS);
    pattern::with_keyword(jsonschema::options().should_validate_formats(true).with_pattern_options(names))
}

fn too_many_schemas(size: u64) -> String {
    format!(
        "its references unfold to {size} schemas, over the limit of {UNFOLDED_MAX}, and `$id`, `$dynamicRef` or \
         `unevaluatedProperties` keep them from being judged one by one; leave those out, or refer to fewer schemas"
    )
}

impl SchemaViolations {
    /// Creates the violation of arguments that are not an object, at the root.
    pub(crate) fn not_an_object() -> Self {
        let root = SchemaViolation {
            pointer: String::new(),
            message: "is not an object; send {\"argument\": value}".to_owned(),
        };
        Self { told: vec![root], total: 1, listed: 0 }
    }

    pub(crate) fn none() -> Self {
        Self { told: Vec::new(), total: 0, listed: 0 }
    }

    /// Creates the violation of one argument. The message is not shortened.
    pub(crate) fn from_argument(argument: &str, message: String) -> Self {
        Self::at(format!("/{}", escaped(argument)), message)
    }

    /// Creates the violation of the arguments as a whole.
    pub(crate) fn from_root(message: String) -> Self {
        Self::at(String::new(), message)
    }

    /// Creates one violation at a pointer.
    fn at(pointer: String, message: String) -> Self {
        Self { told: vec![SchemaViolation { pointer, message }], total: 1, listed: 0 }
    }

    /// Adds a violation of one argument as a whole.
    pub(crate) fn add_at(&mut self, argument: &str, message: impl FnOnce() -> String) {
        self.add(format!("/{}", escaped(argument)), message);
    }

    fn add(&mut self, pointer: String, message: impl FnOnce() -> String) {
        self.add_within(MESSAGE_MAX, pointer, message);
    }

    /// Adds a violation whose message lists allowed values.
    fn add_listed(&mut self, pointer: String, message: impl FnOnce() -> String) {
        // The first lists get the full length. A call with many bad enums must not cost a model
        // thousands of tokens.
        let limit = LISTS_MAX.saturating_sub(self.listed).clamp(MESSAGE_MAX, LIST_MAX);
        self.add_within(limit, pointer, message);
        self.listed += self.told.last().map_or(0, |last| last.message.chars().count());
    }

    fn add_within(&mut self, limit: usize, pointer: String, message: impl FnOnce() -> String) {
        self.total += 1;
        if self.told.len() < VIOLATIONS_MAX {
            let message = shortened_to(limit, message());
            self.told.push(SchemaViolation { pointer: shortened(pointer), message });
        }
    }

    /// Renders the violations in one line, for logs and messages to authors.
    pub(crate) fn render(&self) -> String {
        let rendered: Vec<_> = self.told.iter().map(|one| format!("`{}` {}", one.pointer, one.message)).collect();
        rendered.join("; ")
    }
}

/// Escapes a name for a JSON pointer (RFC 6901, section 3).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn shortened(text: String) -> String {
    shortened_to(MESSAGE_MAX, text)
}

fn shortened_to(limit: usize, text: String) -> String {
    match text.char_indices().nth(limit) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
