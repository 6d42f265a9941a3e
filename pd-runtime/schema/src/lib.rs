//! A JSON Schema validator with violations that name what to send instead, and a reader of JSON
//! Schema documents.
//!
//! [`CompiledSchema`] validates a value against JSON Schema 2020-12, 2019-09, draft 7 or draft 6.
//! It reports every violation with the JSON pointer to its place and with what the schema wants
//! there, in words for language models. The depth of schemas, the work for one value and the length
//! of a report are bounded, so schemas and values of strangers are safe to take.
//!
//! [`SchemaRef`](reader::SchemaRef) reads a document in place: keywords, subschemas, and the
//! targets of references. [`UnreadKeywords`](unread::UnreadKeywords) reads one schema and returns
//! the keywords that a translation does not understand.
//!
//! ```
//! use pd_schema::CompiledSchema;
//! use serde_json::json;
//!
//! let schema = json!({
//!     "type": "object",
//!     "properties": { "limit": { "type": "integer", "maximum": 500 } },
//!     "additionalProperties": false,
//! });
//! let compiled = CompiledSchema::new(&schema).unwrap();
//! assert!(compiled.validate(&json!({ "limit": 20 }), &[]).is_ok());
//!
//! let arguments = json!({ "limit": 501 });
//! let violations = compiled.validate(&arguments, &["limit".to_owned()]).unwrap_err();
//! assert_eq!(violations.first[0].pointer, "/limit");
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod accepted_types;
pub mod checkable;
mod compile;
mod depth;
mod evaluate;
mod explain;
mod format;
pub mod json_text;
mod keyword_kinds;
pub mod member;
mod node;
pub mod nullable;
pub mod number;
mod open_formats;
mod pattern;
#[doc(hidden)]
pub mod percent;
pub mod pointer;
pub mod provider_fit;
pub mod reader;
pub mod references;
pub mod subschemas;
#[doc(hidden)]
pub mod suggest;
pub mod unread;
pub mod violations;

type JsonObject = serde_json::Map<String, Value>;

use evaluate::{Evaluation, GivenUp};
use explain::ViolationExplainer;
use node::{NodeId, SchemaNode};
use serde_json::Value;
use violations::SchemaViolations;

/// The message for a text if its match was given up.
const UNDECIDED: &str =
    "takes too long to match against its pattern; send a shorter or simpler text";
/// The message for a value if its evaluation was given up.
const TOO_MUCH_WORK: &str = "takes too long to validate; send fewer or less nested values";
/// The message for a value that is not valid, where the explanation was given up.
const TOO_LARGE_TO_EXPLAIN: &str = "does not fit this tool's inputSchema, and is too large to find out where; send fewer or less nested values";
/// The message where no single violation can be isolated.
const UNEXPLAINED: &str = "does not fit this tool's inputSchema";

/// The maximum size of a value that is validated without a switch to the blocking pool, in bytes.
const BYTES_AT_ONCE: usize = 64 << 10;
/// The maximum product of a value's size and the schemas that apply to each part of it.
const WORK_AT_ONCE: u64 = 256 << 10;

/// A compiled schema document.
#[derive(Debug)]
pub struct CompiledSchema {
    nodes: Vec<SchemaNode>,
    /// `true` if a `$dynamicRef` depends on the resources on the way to it.
    is_dynamic: bool,
    has_unevaluated: bool,
    backtracks: bool,
    /// The largest number of schemas that apply to one value.
    schemas_per_value: u64,
}

static EMPTY: SchemaNode = SchemaNode {
    keywords: Vec::new(),
    resource: 0,
    is_shared: false,
};
const ROOT: NodeId = NodeId(0);

impl CompiledSchema {
    /// Compiles a schema of JSON Schema 2020-12, 2019-09, draft 7 or draft 6.
    ///
    /// # Errors
    ///
    /// Returns an error if a keyword's value is not valid, a reference has no target, or the schema
    /// exceeds a limit of `depth`.
    pub fn new(root: &Value) -> Result<Self, String> {
        // Before anything recurses into the schema.
        depth::check_levels(root)?;
        let compiled = Self::compile(root)?;
        let schemas_per_value = depth::check_chains(&compiled.nodes)?;
        Ok(Self {
            schemas_per_value,
            ..compiled
        })
    }

    /// Compiles a schema without a limit.
    fn compile(root: &Value) -> Result<Self, String> {
        let mut compiler = compile::SchemaCompiler::new(root);
        let nodes = compiler.compile(root)?;
        let compile::SchemaCompiler {
            is_dynamic,
            has_unevaluated,
            backtracks,
            ..
        } = compiler;
        Ok(Self {
            nodes,
            is_dynamic,
            has_unevaluated,
            backtracks,
            schemas_per_value: 1,
        })
    }

    /// Takes `format` for an annotation: a text may have its format or not. For arguments that
    /// another program judges, which may read more than the format has.
    #[must_use]
    pub fn with_open_formats(mut self) -> Self {
        open_formats::open_formats(&mut self.nodes);
        self
    }

    fn node(&self, id: NodeId) -> &SchemaNode {
        self.nodes.get(id.0 as usize).unwrap_or(&EMPTY)
    }

    /// Returns whether the validation of a value of this many bytes may take longer than about a
    /// millisecond.
    pub fn may_take_long(&self, bytes: usize) -> bool {
        let work = (bytes as u64).saturating_mul(self.schemas_per_value);
        self.backtracks || bytes > BYTES_AT_ONCE || work > WORK_AT_ONCE
    }

    /// Validates a value.
    ///
    /// # Errors
    ///
    /// Returns every violation. `properties` are the names to suggest for unknown ones.
    pub fn validate(&self, value: &Value, properties: &[String]) -> Result<(), SchemaViolations> {
        let mut evaluation = Evaluation::new(self);
        let is_valid = evaluation.is_valid(ROOT, value);
        if let Some(why) = evaluation.given_up {
            // Every other result is meaningless now: `not` turns a refusal into an acceptance. So
            // this is reported alone.
            return Err(given_up(why, value));
        }
        if is_valid {
            return Ok(());
        }
        let violations = ViolationExplainer::explain(&mut evaluation, ROOT, properties, value);
        Err(match evaluation.given_up {
            None if violations.total > 0 => violations,
            None => SchemaViolations::from_root(UNEXPLAINED.to_owned()),
            // The value was refused. Only the explanation, with its smaller limit, was given up.
            Some(GivenUp::Steps) => SchemaViolations::from_root(TOO_LARGE_TO_EXPLAIN.to_owned()),
            Some(why) => given_up(why, value),
        })
    }
}

fn given_up(why: GivenUp, value: &Value) -> SchemaViolations {
    match why {
        GivenUp::Match(text) => SchemaViolations::at(
            references::locate(text, value).unwrap_or_default(),
            UNDECIDED.to_owned(),
        ),
        GivenUp::Steps => SchemaViolations::from_root(TOO_MUCH_WORK.to_owned()),
    }
}

/// Returns the number of values in a value, including itself.
pub fn count_values(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(count_values).sum::<u64>(),
        Value::Object(object) => 1 + object.values().map(count_values).sum::<u64>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;

/// The example of the crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
