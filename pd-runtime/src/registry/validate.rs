//! Arguments against the schema that was disclosed: every violation at once, each at its JSON pointer.

mod choices;
mod explain;
mod finding;
mod pattern;
mod union;
mod units;
mod variants;

use super::{
    schema::Input,
    schema_depth::{self, Unfolded},
};
use explain::Explanation;
use jsonschema::{PatternOptions, ValidationOptions};
use pattern::{UNDECIDED, Watch};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;
use std::sync::OnceLock;
use units::{Memo, Units};

/// The most violations told at once; the rest are counted.
const VIOLATIONS_MAX: usize = 20;
/// The longest message, in characters: it may quote what the caller sent.
const MESSAGE_MAX: usize = 300;
/// The longest message that lists what a schema allows, in characters.
const LIST_MAX: usize = 1_500;
/// How long all such messages of a call may be together, in characters. What goes beyond it is as short as other messages.
const LISTS_MAX: usize = 4_000;
/// The most schemas that references may unfold to where the whole schema judges. jsonschema judges a value once for each way
/// that leads to it, unless the way is recursive.
const UNFOLDED_MAX: u64 = 100_000;
/// The same where a schema that cannot be cut explains errors as a whole.
const EXPLAINED_WHOLE: u64 = 10_000;
/// The most bytes of arguments that are judged between two awaits.
const BYTES_AT_ONCE: usize = 64 << 10;
/// The message where no error can be told apart from the others.
const UNEXPLAINED: &str = "does not fit this tool's inputSchema, whose references do not show which part is wrong";
/// The message for arguments that fit, but that serde would read again and again.
const TOO_MANY_READS: &str = "fits, but would take too long to read: each level doubles the work, because several forms \
                              of this value have the same nested fields; nest it less deep";

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
    /// How many characters of lists were told.
    listed: usize,
}

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct Validator {
    schema: Value,
    compiled: jsonschema::Validator,
    properties: Vec<String>,
    /// The schema cut at its references, made when arguments first fail.
    units: OnceLock<Option<Units>>,
    unfolded: Unfolded,
    /// Whether the units judge in place of the whole, because they judge each value once.
    is_by_units: bool,
    /// Whether a pattern backtracks, which may take long.
    backtracks: bool,
    /// Whether serde may read parts of the arguments again and again.
    repeats: bool,
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
        let mut schema = Value::Object((*input.schema).clone());
        let unfolded = schema_depth::check(&schema)?;
        let backtracks = pattern::replace(&mut schema);
        let is_by_units = unfolded.size > UNFOLDED_MAX;
        let units = OnceLock::new();
        if is_by_units {
            let cut = Units::new(&schema).ok_or_else(|| too_many_schemas(unfolded.size))?;
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

    /// Whether judging so many bytes of arguments may take so long that it belongs on the blocking pool.
    pub(crate) fn may_take_long(&self, bytes: usize) -> bool {
        self.backtracks || bytes > BYTES_AT_ONCE
    }

    /// Judges the arguments, which come back untouched.
    pub(crate) fn validate(&self, arguments: JsonObject) -> Result<JsonObject, Violations> {
        let instance = Value::Object(arguments);
        self.judge(&instance)?;
        Ok(match instance {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        })
    }

    fn judge(&self, arguments: &Value) -> Result<(), Violations> {
        let watch = self.backtracks.then(Watch::new);
        let undecided = || Some(Violations::at(watch.as_ref()?.undecided(arguments)?, UNDECIDED.to_owned()));
        let fits = self.fits(arguments);
        if let Some(undecided) = undecided() {
            return Err(undecided);
        }
        if !fits {
            let violations = self.explain(arguments);
            return Err(undecided().unwrap_or(violations));
        }
        // The estimate costs as much as the call itself, so calls of other tools must not pay for it.
        match self.repeats.then(|| variants::repeated(&self.schema, arguments)).flatten() {
            Some((argument, _)) => Err(Violations::of_argument(argument, TOO_MANY_READS.to_owned())),
            None => Ok(()),
        }
    }
    fn fits(&self, arguments: &Value) -> bool {
        let Some(units) = self.units.get().and_then(Option::as_ref).filter(|_| self.is_by_units) else {
            return self.compiled.is_valid(arguments);
        };
        let _memo = Memo::new();
        units.get(0).is_some_and(|root| root.is_valid(arguments))
    }

    /// The violations of arguments that do not fit. They take time and memory linear in the arguments and in the schema.
    fn explain(&self, arguments: &Value) -> Violations {
        let is_small = !self.unfolded.is_recursive && self.unfolded.size <= EXPLAINED_WHOLE;
        let units = || self.units.get_or_init(|| Units::new(&self.schema)).as_ref();
        let violations = match (self.unfolded.has_references, units) {
            (false, _) => Explanation::of_whole(&self.compiled, &self.properties, arguments),
            (true, units) => match units() {
                Some(units) => Explanation::of_units(units, &self.properties, arguments),
                None if is_small => Explanation::of_whole(&self.compiled, &self.properties, arguments),
                None => Violations::none(),
            },
        };
        if violations.total > 0 { violations } else { Violations::of_root(UNEXPLAINED.to_owned()) }
    }
}

/// The options that all schemas are compiled with.
fn options() -> ValidationOptions<'static> {
    let names = PatternOptions::fancy_regex().backtrack_limit(pattern::NAME_STEPS);
    pattern::with_keyword(jsonschema::options().should_validate_formats(true).with_pattern_options(names))
}

fn too_many_schemas(size: u64) -> String {
    format!(
        "its references unfold to {size} schemas, over the limit of {UNFOLDED_MAX}, and `$id`, `$dynamicRef` or \
         `unevaluatedProperties` keep them from being judged one by one; leave those out, or refer to fewer schemas"
    )
}

impl Violations {
    /// The one violation of arguments that are no object: the root's.
    pub(crate) fn not_an_object() -> Self {
        let root =
            Violation { pointer: String::new(), message: "is not an object; send {\"argument\": value}".to_owned() };
        Self { told: vec![root], total: 1, listed: 0 }
    }

    pub(crate) fn none() -> Self {
        Self { told: Vec::new(), total: 0, listed: 0 }
    }

    /// The one violation of an argument, in words that are as long as they must be.
    pub(crate) fn of_argument(argument: &str, message: String) -> Self {
        Self::at(format!("/{}", escaped(argument)), message)
    }

    /// The one violation of the arguments as a whole.
    pub(crate) fn of_root(message: String) -> Self {
        Self::at(String::new(), message)
    }

    /// The one violation at a pointer.
    fn at(pointer: String, message: String) -> Self {
        Self { told: vec![Violation { pointer, message }], total: 1, listed: 0 }
    }

    /// Adds a violation by one argument as a whole.
    pub(crate) fn add_at(&mut self, argument: &str, message: impl FnOnce() -> String) {
        self.add(format!("/{}", escaped(argument)), message);
    }

    fn add(&mut self, pointer: String, message: impl FnOnce() -> String) {
        self.add_within(MESSAGE_MAX, pointer, message);
    }

    /// Adds a violation whose message lists what the schema allows.
    fn add_listed(&mut self, pointer: String, message: impl FnOnce() -> String) {
        let most = LISTS_MAX.saturating_sub(self.listed).clamp(MESSAGE_MAX, LIST_MAX);
        self.add_within(most, pointer, message);
        self.listed += self.told.last().map_or(0, |last| last.message.chars().count());
    }

    fn add_within(&mut self, most: usize, pointer: String, message: impl FnOnce() -> String) {
        self.total += 1;
        if self.told.len() < VIOLATIONS_MAX {
            let message = shortened_to(most, message());
            self.told.push(Violation { pointer: shortened(pointer), message });
        }
    }

    /// The violations in one line, for logs and messages to authors.
    pub(crate) fn in_words(&self) -> String {
        let told: Vec<_> = self.told.iter().map(|one| format!("`{}` {}", one.pointer, one.message)).collect();
        told.join("; ")
    }
}

/// RFC 6901, section 3.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn shortened(text: String) -> String {
    shortened_to(MESSAGE_MAX, text)
}

fn shortened_to(most: usize, text: String) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
