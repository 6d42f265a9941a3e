//! The input schemas of Strata's meta-tools. They name the servers of the caller.

use super::{discover, execute, servers};
use crate::{disclosure::view::CallerView, policy::preset_role::StrataRole};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns the input schema of a meta-tool.
pub(super) fn of_role(role: StrataRole, view: &CallerView<'_>) -> Value {
    match role {
        StrataRole::Categories | StrataRole::Actions => json!({
            "type": "object",
            "properties": {
                "user_query": { "type": "string" },
                "server_names": { "type": "array", "items": servers::name_schema(view) },
                "page": { "type": "integer", "minimum": 1, "default": 1 },
            },
            "required": ["user_query"],
        }),
        StrataRole::CategoryActions => json!({
            "type": "object",
            "properties": {
                "category_names": { "type": "array", "items": { "type": "string" } },
                "page": { "type": "integer", "minimum": 1, "default": 1 },
            },
            "required": ["category_names"],
        }),
        StrataRole::ActionDetails => action(&[], view),
        StrataRole::Execute => action(&execute::PARTS, view),
        StrataRole::Documentation => json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "server_name": servers::name_schema(view),
                "max_results": {
                    "type": "integer", "minimum": 1, "maximum": discover::RESULTS_MAX, "default": discover::RESULTS,
                },
            },
            "required": ["query", "server_name"],
        }),
    }
}

/// Builds the schema of the arguments that name an action, with JSON texts beside them.
fn action(parts: &[&str], view: &CallerView<'_>) -> Value {
    let text = || json!({ "type": "string" });
    let names = [
        ("server_name", servers::name_schema(view)),
        ("category_name", text()),
        ("action_name", text()),
    ];
    let parts = parts
        .iter()
        .map(|part| (*part, json!({ "type": "string", "description": "JSON" })));
    let properties: JsonObject = names
        .into_iter()
        .chain(parts)
        .map(|(name, of)| (name.to_owned(), of))
        .collect();
    json!({ "type": "object", "properties": properties, "required": ["server_name", "action_name"] })
}
