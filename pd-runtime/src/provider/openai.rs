//! OpenAI's Responses API: `tools`, and the items that load deferred tools.
//!
//! `strict` is always false. Strict mode accepts only a part of JSON Schema and requires every
//! property, which MCP's schemas do not follow. Without the member, the provider would try strict
//! mode.

use super::{name, root};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns an entry of `tools`, or of a [`namespace`]. `deferred` tools need a [`search`] in the
/// same request.
pub fn tool(own_name: &str, description: &str, input_schema: &JsonObject, deferred: bool) -> Value {
    let (description, schema) = root::flatten(description, input_schema);
    let mut tool = json!({
        "type": "function",
        "name": name(own_name),
        "description": description,
        "parameters": schema,
        "strict": false,
    });
    if deferred && let Value::Object(tool) = &mut tool {
        tool.insert("defer_loading".to_owned(), Value::Bool(true));
    }
    tool
}

/// Returns the provider's own search over deferred tools.
pub fn search() -> Value {
    json!({ "type": "tool_search" })
}

/// Returns a search that the agent answers. A `tool_search_call` has arguments that fit
/// `parameters`, and [`search_output`] answers it.
pub fn own_search(description: &str, parameters: &Value) -> Value {
    json!({ "type": "tool_search", "execution": "client", "description": description, "parameters": parameters })
}

/// Returns the item that answers a `tool_search_call`. Its tools are loaded from here on, and the
/// prompt before the item is unchanged.
pub fn search_output(call_id: &str, tools: &[Value]) -> Value {
    json!({
        "type": "tool_search_output",
        "call_id": call_id,
        "execution": "client",
        "status": "completed",
        "tools": tools,
    })
}

/// Returns the item that gives the model these tools from its place in the input on. `tools` of the
/// request stay the same.
///
/// ```
/// # use pd_runtime::provider::openai::{additional_tools, tool};
/// # use serde_json::json;
/// let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
/// let log = tool("git.log", "List commits", schema.as_object().unwrap(), false);
/// let item = additional_tools(&[log]);
/// assert_eq!((&item["type"], &item["role"]), (&json!("additional_tools"), &json!("developer")));
/// assert_eq!(item["tools"][0]["name"], "git_log");
/// ```
pub fn additional_tools(tools: &[Value]) -> Value {
    json!({ "type": "additional_tools", "role": "developer", "tools": tools })
}

/// Returns a group of tools under one name. If all of them are deferred, a model sees only the name
/// and the description until it searches for one.
pub fn namespace(own_name: &str, description: &str, tools: &[Value]) -> Value {
    json!({ "type": "namespace", "name": name(own_name), "description": description, "tools": tools })
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
    fn a_tool_is_a_function_that_is_not_strict() {
        let schema = json!({ "type": "object", "properties": {} });
        let schema = schema.as_object().unwrap();
        let plain = tool("a.b", "Do it", schema, false);
        let wanted = json!({ "type": "function", "name": "a_b", "description": "Do it", "parameters": schema, "strict": false });
        assert_eq!(plain, wanted);
        assert_eq!(tool("a.b", "Do it", schema, true)["defer_loading"], true);
        assert_eq!(
            namespace("git", "Git", std::slice::from_ref(&plain))["tools"][0],
            plain
        );
    }
}
