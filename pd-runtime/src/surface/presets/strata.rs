//! Strata's funnel: an intent, a category, an action, its schema, the call; and the search that
//! later releases offer instead of categories. The registry is the server, its groups are the
//! categories, and its tools the actions.

mod cut;
mod details;
mod discover;
mod execute;

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    policy::{GateMode, meta_tools::OfferedMetaTool, preset_role::StrataRole},
    surface::meta_tools::{
        MetaToolReply, StaticSchema, arguments::MetaToolArguments, call::cautious, object, read_only_tool, text_result,
    },
};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most characters of a server's or category's name that are read, because answers repeat it.
const ECHO_MAX: usize = 200;

/// Returns the list entry of one of the meta-tools.
pub(crate) fn definition(offer: &OfferedMetaTool, role: StrataRole, view: &CallerView<'_>) -> Tool {
    match role {
        StrataRole::Execute => cautious(read_only_tool(offer, text(role), schema(role))),
        StrataRole::ActionDetails if view.gate() != GateMode::Enforce => {
            read_only_tool(offer, "Get the schema of an action", schema(role))
        }
        _ => read_only_tool(offer, text(role), schema(role)),
    }
}

fn text(role: StrataRole) -> &'static str {
    match role {
        StrataRole::Categories => "PREFERRED STARTING POINT: discover the categories for what the user wants",
        StrataRole::CategoryActions => "Get the actions of categories",
        StrataRole::ActionDetails => "Get the schema of an action; required before executing it",
        StrataRole::Execute => "Execute an action",
        StrataRole::Actions => "Discover the actions for what the user wants",
        StrataRole::Documentation => "Search the actions by keywords",
    }
}

fn schema(role: StrataRole) -> &'static StaticSchema {
    static DISCOVER: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "user_query": { "type": "string" },
                "server_names": { "type": "array", "items": { "type": "string" } },
                "page": { "type": "integer", "minimum": 1, "default": 1 },
            },
            "required": ["user_query"],
        }))
    });
    static CATEGORY_ACTIONS: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "category_names": { "type": "array", "items": { "type": "string" } },
                "page": { "type": "integer", "minimum": 1, "default": 1 },
            },
            "required": ["category_names"],
        }))
    });
    static DETAILS: StaticSchema = StaticSchema::new(|| object(action(&[])));
    static EXECUTE: StaticSchema = StaticSchema::new(|| object(action(&execute::PARTS)));
    static DOCUMENTATION: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "server_name": { "type": "string" },
                "max_results": { "type": "integer", "minimum": 1, "maximum": discover::RESULTS_MAX, "default": discover::RESULTS },
            },
            "required": ["query", "server_name"],
        }))
    });
    match role {
        StrataRole::Categories | StrataRole::Actions => &DISCOVER,
        StrataRole::CategoryActions => &CATEGORY_ACTIONS,
        StrataRole::ActionDetails => &DETAILS,
        StrataRole::Execute => &EXECUTE,
        StrataRole::Documentation => &DOCUMENTATION,
    }
}

/// Builds the schema of the arguments that name an action, with JSON texts beside them.
fn action(parts: &[&str]) -> Value {
    let names = ["server_name", "category_name", "action_name"].map(|name| (name, json!({ "type": "string" })));
    let parts = parts.iter().map(|part| (*part, json!({ "type": "string", "description": "JSON" })));
    let properties: JsonObject = names.into_iter().chain(parts).map(|(name, of)| (name.to_owned(), of)).collect();
    json!({ "type": "object", "properties": properties, "required": ["server_name", "action_name"] })
}

/// Calls one of the meta-tools.
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(crate) async fn call(
    offer: &OfferedMetaTool,
    role: StrataRole,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    Ok(match role {
        StrataRole::Categories => discover::categories(offer, &arguments, view).await.into(),
        StrataRole::Actions => discover::actions(offer, &arguments, view).await.into(),
        StrataRole::Documentation => discover::documentation(&arguments, view).await?.into(),
        StrataRole::CategoryActions => details::of_categories(offer, &arguments, view)?.into(),
        StrataRole::ActionDetails => details::of_action(&arguments, view).await.into(),
        StrataRole::Execute => execute::execute(offer, arguments, view)?,
    })
}

/// Returns the name of the only server, the registry.
fn server<'a>(view: &CallerView<'a>) -> &'a str {
    &view.catalogue.info.name
}

/// Returns the tools of a server or category. The server's own name means all tools. Returns
/// `None` for an unknown name.
fn tools<'a>(name: &str, view: &CallerView<'a>) -> Option<Vec<&'a Arc<CatalogEntry>>> {
    if name.is_empty() || name == server(view) {
        return Some(view.visible().collect());
    }
    Some(view.all_tools_of(view.group(name)?).collect())
}

/// Splits the requested servers or categories into those that one answer covers, and the rest.
fn split_names(names: Vec<String>, view: &CallerView<'_>) -> (Vec<String>, Vec<String>) {
    let names = names.into_iter().take(view.policy.limits.names);
    let mut names: Vec<String> = names.map(|name| name.chars().take(ECHO_MAX).collect()).collect();
    let left_out = names.split_off(names.len().min(cut::CATEGORIES_MAX));
    (names, left_out)
}

/// Builds an answer with one entry for each name, and the next step for the names left out.
fn answer(key: &str, entries: JsonObject, left_out: Vec<String>, argument: &str) -> CallToolResult {
    let mut answer = JsonObject::from_iter([(key.to_owned(), Value::Object(entries))]);
    if !left_out.is_empty() {
        let most = cut::CATEGORIES_MAX;
        answer.insert("left_out".to_owned(), json!(left_out));
        answer.insert("next".to_owned(), json!(format!("send at most {most} names in `{argument}` at once")));
    }
    text_result(Value::Object(answer).to_string())
}

/// Returns the category of a tool: its first group, or the server itself.
fn category<'a>(entry: &CatalogEntry, view: &CallerView<'a>) -> &'a str {
    view.groups_of(entry).next().map_or(server(view), |group| &group.name)
}
