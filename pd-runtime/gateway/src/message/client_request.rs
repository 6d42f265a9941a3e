//! The requests of an upstream that its client answers.

use rmcp::model::JsonObject;
use serde_json::Value;

pub(crate) const ELICITATION: &str = "elicitation/create";
pub(crate) const SAMPLING: &str = "sampling/createMessage";
pub(crate) const ROOTS: &str = "roots/list";

/// A request of an upstream during a call.
#[derive(Debug)]
pub(crate) struct UpstreamRequest {
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: JsonObject,
}
