//! Recorded examples: the file `NAME.test.json` beside a program.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;

/// A call of a program, the answers that its own calls get, and what it returns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedExample {
    #[serde(default)]
    pub(crate) arguments: JsonObject,
    #[serde(default)]
    pub(crate) answers: Vec<RecordedAnswer>,
    /// `null` if the program returns nothing.
    pub(crate) returns: Value,
}

/// The answer of a tool. The answers of one tool are used in their order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedAnswer {
    pub(crate) tool: String,
    /// The arguments that the call must have, if they matter.
    #[serde(default)]
    pub(crate) arguments: Option<Value>,
    pub(crate) value: Value,
}
