//! Gram's search: `search_tools` by words and tags, and `describe_tools` for the schemas.
//! `execute_tool` calls tools as the default meta-tools do. A tool's tags are the paths of the
//! groups that contain it.

mod search;
mod tags;

use crate::{
    catalog::token_cost::CostForm,
    disclosure::{disclose::render_unknown, view::CallerView},
    policy::{meta_tools::OfferedMetaTool, preset_role::GramRole},
    surface::{
        meta_tools::{
            StaticSchema, arguments::MetaToolArguments, disclose_named, error_result, group_index,
            named_definitions, object, read_only_tool, schemas, text_result,
        },
        missing::{self, UNAVAILABLE},
        selection_errors,
    },
};

use rmcp::model::{CallToolResult, Tool};
use serde_json::{Value, json};

/// Returns the list entry of either meta-tool.
pub(crate) fn definition(offer: &OfferedMetaTool, role: GramRole, view: &CallerView<'_>) -> Tool {
    static SEARCH: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "match_mode": { "type": "string", "enum": ["any", "all"], "default": "any" },
                "num_results": { "type": "integer", "minimum": 1, "maximum": search::RESULTS_MAX },
            },
            "required": ["query"],
        }))
    });
    static DESCRIBE: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": { "tool_names": { "type": "array", "items": { "type": "string" } } },
            "required": ["tool_names"],
        }))
    });
    match role {
        GramRole::Describe => read_only_tool(
            offer,
            "Get the descriptions and input schemas of tools",
            &DESCRIBE,
        ),
        // A tag is the path of a group, so the index of groups lists the tags.
        GramRole::Search => match (*group_index::for_caller(view)).as_ref() {
            "" => read_only_tool(offer, "Search tools for a task", &SEARCH),
            tags => read_only_tool(
                offer,
                format!("Search tools for a task. Tags: {tags}"),
                &SEARCH,
            ),
        },
    }
}

/// Calls either meta-tool.
pub(crate) async fn call(
    role: GramRole,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    match role {
        GramRole::Search => search::search(arguments, view)
            .await
            .unwrap_or_else(error_result),
        GramRole::Describe => describe(arguments, view).await,
    }
}

async fn describe(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let names = arguments.names("tool_names");
    if let Err(later) = view.charge_descriptions(names.len()) {
        return later.into_result();
    }
    let meta_tools = named_definitions(&names, view);
    // Gram answers with the known tools and `not_found`; it fails only if no name is known.
    let unknown: Vec<_> = names
        .iter()
        .filter(|name| view.resolve(name).is_none() && !meta_tools.contains_key(*name))
        .collect();
    match (names.len(), unknown.first()) {
        (0, _) => return error_result("`tool_names` is required"),
        (count, _) if view.names_too_many(count) => {
            return error_result(selection_errors::too_many(count, view).to_string());
        }
        (count, Some(first)) if count == unknown.len() => {
            unknown
                .iter()
                .for_each(|name| view.recorder.record_unknown(name));
            return error_result(render_unknown(first, view));
        }
        _ => {}
    }
    let disclosure = disclose_named(&names, CostForm::Definition, view).await;
    let tools = schemas(&disclosure);
    let mut answer = if unknown.is_empty() {
        json!({ "tools": tools })
    } else {
        json!({ "tools": tools, "not_found": unknown })
    };
    // Servers that are not available matter only if a name was not found.
    if let (Some(value), Value::Object(answer), false) =
        (missing::value(view), &mut answer, unknown.is_empty())
    {
        answer.insert(UNAVAILABLE.to_owned(), value);
    }
    let mut result = text_result(answer.to_string());
    result.meta = disclosure.meta();
    result
}
