//! The whitepaper's tree: tools as files in folders, `list_tools("/hubspot/contacts/")` and then
//! `describe_tool("/hubspot/contacts/create")`. Folders are listed as names, tools as objects with
//! their descriptions.

use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::view::CallerView,
    policy::{meta_tools::OfferedMetaTool, preset_role::TreeRole, rate_limit::ChargeKind},
    surface::meta_tools::{
        StaticSchema, arguments::MetaToolArguments, disclose_named, error_result,
        notation::PathNotation, object, path, read_only_tool, text_result,
    },
};

use rmcp::model::{CallToolResult, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the list entry of either meta-tool.
pub(super) fn definition(offer: &OfferedMetaTool, role: TreeRole) -> Tool {
    static SCHEMA: StaticSchema = StaticSchema::new(|| {
        object(
            json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
        )
    });
    let text = match role {
        TreeRole::List => "List the groups and tools at a path, from \"/\"",
        TreeRole::Describe => "Describe the tool at a path, such as \"/group/tool\"",
    };
    read_only_tool(offer, text, &SCHEMA)
}

/// Calls either meta-tool.
pub(super) async fn call(
    role: TreeRole,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    let path = arguments.text("path");
    match role {
        TreeRole::List => list(path, view),
        TreeRole::Describe => describe(path, view).await,
    }
}

fn list(path: &str, view: &CallerView<'_>) -> CallToolResult {
    let group = path::group(path, view);
    if group.is_none() && !path::is_root(path) {
        return error_result(PathNotation::Slashes.unknown_group(path, view));
    }
    let tools: Vec<_> = match group {
        Some(group) => view.tools_of(group).collect(),
        None => view.visible().filter(|entry| entry.is_top).collect(),
    };
    view.recorder
        .record_listed(tools.iter().map(|tool| (&***tool, CostForm::Line)));
    let inner = view.groups_in(group);
    let groups = inner.iter().map(|group| json!(group.name));
    // Tools that are not known yet would be at the top level.
    let missing = if group.is_none() {
        view.missing()
    } else {
        Vec::new()
    };
    let missing = missing
        .into_iter()
        .filter(|set| set.names.is_empty())
        .map(|set| json!({ "name": set.group, "description": set.state }));
    text_result(
        groups
            .chain(missing)
            .chain(tools.into_iter().map(summary))
            .collect::<Value>()
            .to_string(),
    )
}

fn summary(entry: &Arc<CatalogEntry>) -> Value {
    json!({ "name": entry.name(), "description": entry.tool.about.summary.trim() })
}

async fn describe(path: &str, view: &CallerView<'_>) -> CallToolResult {
    // Charged before the path is resolved, so that a hidden path costs what an unknown one costs.
    if let Err(later) = view.charge(ChargeKind::Describe, 1) {
        return later.into_result();
    }
    if path::is_root(path) {
        return error_result("`path` must be the path of a tool, such as \"/group/tool\"");
    }
    // A meta-tool is in no group, so its path is its name.
    let meta_tool = path.trim_matches('/');
    let name = match path::tool(path, view) {
        Some(entry) => [entry.name().to_owned()],
        None if view.meta_tools().find_name(meta_tool).is_some() => [meta_tool.to_owned()],
        None => {
            view.recorder.record_unknown(path);
            return error_result(PathNotation::Slashes.unknown_tool(path, view));
        }
    };
    let disclosure = disclose_named(&name, CostForm::Description, view).await;
    let mut result = text_result(disclosure.only_description().unwrap_or_default());
    result.meta = disclosure.meta();
    result
}
