//! Anthropic's Messages API: `tools`, and the blocks that load deferred tools.
//!
//! A tool with `defer_loading` costs the model nothing until a `tool_reference` loads it, which
//! leaves the cached prompt before it unchanged. At least one tool of a request must not be
//! deferred: [`search`] is one.

use super::{keys, name, root};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns an entry of `tools`. [`search`] or a [`reference()`] loads `deferred` tools.
///
/// Arguments with names that the provider refuses (it accepts `^[a-zA-Z0-9_.-]{1,64}$`) get other
/// names. [`arguments`] restores the original names.
pub fn tool(own_name: &str, description: &str, input_schema: &JsonObject, deferred: bool) -> Value {
    let (description, schema) = root::flatten(description, input_schema);
    let schema = keys::rename(schema);
    let mut tool =
        json!({ "name": name(own_name), "description": description, "input_schema": schema });
    if deferred && let Value::Object(tool) = &mut tool {
        tool.insert("defer_loading".to_owned(), Value::Bool(true));
    }
    tool
}

/// Returns the arguments of a call in the form that the tool's server expects: under the names of
/// its schema.
///
/// ```
/// # use pd_runtime::provider::anthropic::{arguments, tool};
/// # use serde_json::json;
/// let schema = json!({ "type": "object", "properties": { "$top": { "type": "integer" } } });
/// let schema = schema.as_object().unwrap();
/// assert!(tool("list", "List", schema, false)["input_schema"]["properties"]["_top"].is_object());
///
/// let sent = json!({ "_top": 5 }).as_object().cloned().unwrap();
/// assert_eq!(arguments(schema, sent)["$top"], 5);
/// ```
pub fn arguments(input_schema: &JsonObject, sent: JsonObject) -> JsonObject {
    // The schema is flattened and renamed as in `tool`, so the same names result and no table must
    // be kept between the two calls.
    let (_, schema) = root::flatten("", input_schema);
    keys::restore(&schema, sent)
}

/// The name under which a model sees [`search`]. No other tool of a request can have it.
pub(crate) const SEARCH: &str = "tool_search_tool_bm25";

/// Returns the provider's own search over the texts of deferred tools.
pub fn search() -> Value {
    json!({ "type": "tool_search_tool_bm25_20251119", "name": SEARCH })
}

/// Returns the block of a `tool_result` that loads a deferred tool of the request.
pub fn reference(own_name: &str) -> Value {
    json!({ "type": "tool_reference", "tool_name": name(own_name) })
}

/// The beta of the messages that [`changes`] returns. A request that contains one names it in the
/// header `anthropic-beta`.
pub const INLINE_TOOLS: &str = "inline-tools-2026-09-15";

/// Returns the block that gives the model a tool from its place in the conversation on. `tool` is an
/// entry of `tools`, as [`tool()`] returns it, and the request's `tools` need not contain it. A later
/// addition of the same name replaces it.
pub fn addition(tool: &Value) -> Value {
    json!({ "type": "tool_addition", "tool": { "type": "tool_definition", "definition": tool } })
}

/// Returns the block that takes a tool away, whether `tools` or an [`addition`] has given it.
pub fn removal(own_name: &str) -> Value {
    let tool = json!({ "type": "tool_reference", "name": name(own_name) });
    json!({ "type": "tool_removal", "tool": tool })
}

/// Returns the message that changes a model's tools in the middle of a conversation: additions and
/// removals, in this order. It follows a message of the user. `tools` and all earlier messages stay
/// the same, and so does the provider's cache of them.
///
/// ```
/// # use pd_runtime::provider::anthropic::{addition, changes, removal, tool};
/// # use serde_json::json;
/// let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
/// let log = tool("git.log", "List commits", schema.as_object().unwrap(), false);
/// let message = changes([addition(&log), removal("git.show")]);
/// assert_eq!(message["role"], "system");
/// assert_eq!(message["content"][0]["tool"]["definition"]["name"], "git_log");
/// assert_eq!(message["content"][1]["tool"]["name"], "git_show");
/// ```
pub fn changes(blocks: impl IntoIterator<Item = Value>) -> Value {
    json!({ "role": "system", "content": blocks.into_iter().collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    #[test]
    fn a_tool_says_that_it_is_deferred_only_where_it_is() {
        let schema = json!({ "type": "object", "properties": {} });
        let schema = schema.as_object().unwrap();
        let plain = tool("a.b", "Do it", schema, false);
        assert_eq!(
            plain,
            json!({ "name": "a_b", "description": "Do it", "input_schema": schema })
        );
        assert_eq!(tool("a.b", "Do it", schema, true)["defer_loading"], true);
        assert_eq!(reference("a.b")["tool_name"], plain["name"]);
    }
}
