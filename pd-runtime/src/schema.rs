//! JSON Schema: one index of a document's references, and a validator.

mod compile;
pub(crate) mod depth;
mod evaluate;
mod explain;
mod format;
pub(crate) mod index;
mod node;
mod number;
mod pattern;
pub(crate) mod subschemas;
pub(crate) mod violations;

use evaluate::Evaluation;
use explain::ViolationExplainer;
use node::{NodeId, SchemaNode};
use serde_json::Value;
use violations::{SchemaViolations, escaped};

/// The message for a text whose match was given up.
const UNDECIDED: &str = "takes too long to match against its pattern; send a shorter or simpler text";
/// The message where no single violation can be isolated.
const UNEXPLAINED: &str = "does not fit this tool's inputSchema";

/// A compiled schema document.
#[derive(Debug)]
pub(crate) struct CompiledSchema {
    nodes: Vec<SchemaNode>,
    /// `true` if a `$dynamicRef` depends on the resources on the way to it.
    is_dynamic: bool,
    backtracks: bool,
}

static EMPTY: SchemaNode = SchemaNode { keywords: Vec::new(), resource: 0, is_shared: false };
const ROOT: NodeId = NodeId(0);

impl CompiledSchema {
    /// Compiles a schema of JSON Schema 2020-12, 2019-09, draft 7 or draft 6. The caller bounds the
    /// depth of the document.
    ///
    /// # Errors
    ///
    /// Returns an error if a keyword's value is not valid, or a reference has no target.
    pub(crate) fn new(root: &Value) -> Result<Self, String> {
        let mut compiler = compile::SchemaCompiler::new(root);
        let nodes = compiler.compile(root)?;
        Ok(Self { nodes, is_dynamic: compiler.is_dynamic, backtracks: compiler.backtracks })
    }

    fn node(&self, id: NodeId) -> &SchemaNode {
        self.nodes.get(id.0 as usize).unwrap_or(&EMPTY)
    }

    /// Returns whether a pattern of the schema backtracks, so that its time is bounded by a limit
    /// only.
    pub(crate) fn backtracks(&self) -> bool {
        self.backtracks
    }

    /// Validates a value.
    ///
    /// # Errors
    ///
    /// Returns every violation. `properties` are the names to suggest for unknown ones.
    pub(crate) fn validate(&self, value: &Value, properties: &[String]) -> Result<(), SchemaViolations> {
        let mut evaluation = Evaluation::new(self);
        let is_valid = evaluation.is_valid(ROOT, value);
        if is_valid && evaluation.undecided.is_none() {
            return Ok(());
        }
        let violations = match evaluation.undecided {
            Some(_) => SchemaViolations::none(),
            None => ViolationExplainer::explain(&mut evaluation, ROOT, properties, value),
        };
        // A match that was given up makes every other result meaningless: `not` turns a refusal
        // into an acceptance. So it is reported alone.
        Err(match evaluation.undecided {
            Some(text) => SchemaViolations::at(pointer_to(text, value).unwrap_or_default(), UNDECIDED.to_owned()),
            None if violations.total == 0 => SchemaViolations::from_root(UNEXPLAINED.to_owned()),
            None => violations,
        })
    }
}

/// Returns the JSON pointer to the value at an address. Property names have no address here.
fn pointer_to(address: usize, value: &Value) -> Option<String> {
    if index::address_of(value) == address {
        return Some(String::new());
    }
    let inside = |step: String, inner: &Value| Some(format!("/{step}{}", pointer_to(address, inner)?));
    match value {
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| inside(index.to_string(), item)),
        Value::Object(object) => object.iter().find_map(|(name, inner)| inside(escaped(name), inner)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
