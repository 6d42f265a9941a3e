//! lazy-mcp's tree: `get_tools_in_category("coding_tools.search")`, then `execute_tool` with a
//! tool's path.

use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm, tree::TreeNode},
    disclosure::view::CallerView,
    policy::meta_tools::OfferedMetaTool,
    surface::meta_tools::{
        StaticSchema, arguments::MetaToolArguments, error_result, notation::PathNotation, object,
        path, read_only_tool, text_result,
    },
    surface::missing::{self, UNAVAILABLE},
};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the list entry.
pub(crate) fn definition(offer: &OfferedMetaTool) -> Tool {
    static SCHEMA: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": { "path": { "type": "string", "description": "With dots, as in 'tools.search'; '' is the root" } },
            "required": ["path"],
        }))
    });
    read_only_tool(
        offer,
        "List the categories and tools of a category",
        &SCHEMA,
    )
}

/// Calls the meta-tool.
pub(crate) fn call(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let path = arguments.text("path");
    let group = path::group(path, view);
    if group.is_none() && !path::is_root(path) {
        return error_result(PathNotation::Dots.unknown_group(path, view));
    }
    let mut answer = JsonObject::new();
    answer.insert(
        "path".to_owned(),
        json!(
            group
                .map(|group| PathNotation::Dots.group(group))
                .unwrap_or_default()
        ),
    );
    let overview = group.map_or_else(|| view.instructions(), |group| view.summary_of(group));
    if !overview.is_empty() {
        answer.insert("overview".to_owned(), json!(overview));
    }
    // Tools that are not known yet would be at the top level.
    answer.extend(
        group
            .is_none()
            .then(|| missing::value(view))
            .flatten()
            .map(|value| (UNAVAILABLE.to_owned(), value)),
    );
    let children = children(group, view);
    if !children.is_empty() {
        answer.insert("children".to_owned(), Value::Object(children));
    }
    let tools = tools(group, view);
    view.recorder
        .record_listed(tools.iter().map(|(tool, _)| (&***tool, CostForm::Line)));
    answer.insert(
        "tools".to_owned(),
        Value::Object(
            tools
                .into_iter()
                .map(|(tool, of)| entry(tool, of))
                .collect(),
        ),
    );
    text_result(Value::Object(answer).to_string())
}

/// Renders the categories inside a category. A leaf, which contains tools, has their number. A
/// branch has its summary.
fn children<'a>(group: Option<&'a TreeNode>, view: &CallerView<'a>) -> JsonObject {
    let children = view.groups_in(group).into_iter().map(|child| {
        let summary = view.summary_of(child);
        let value = match own(child, view).len() {
            0 if summary.is_empty() => json!({}),
            0 => json!({ "overview": summary }),
            count => json!({ "is_leaf": true, "tool_count": count }),
        };
        (child.name.to_string(), value)
    });
    children.collect()
}

/// Returns the tools that are directly in the category. If it has none and all categories inside it
/// are leaves, returns the leaves' tools. Each tool comes with the category in its path.
fn tools<'a>(
    group: Option<&'a TreeNode>,
    view: &CallerView<'a>,
) -> Vec<(&'a Arc<CatalogEntry>, Option<&'a TreeNode>)> {
    let own_tools: Vec<_> = match group {
        Some(group) => own(group, view),
        None => view.visible().filter(|entry| entry.is_top).collect(),
    };
    if !own_tools.is_empty() {
        return own_tools.into_iter().map(|tool| (tool, group)).collect();
    }
    let leaves: Vec<_> = view
        .groups_in(group)
        .into_iter()
        .map(|leaf| (leaf, own(leaf, view)))
        .collect();
    // An inner category that contains only categories is a branch. Listing all tools below it could
    // return the whole tree.
    if leaves.iter().any(|(_, tools)| tools.is_empty()) {
        return Vec::new();
    }
    leaves
        .into_iter()
        .flat_map(|(leaf, tools)| tools.into_iter().map(move |tool| (tool, Some(leaf))))
        .collect()
}

fn own<'a>(group: &'a TreeNode, view: &CallerView<'a>) -> Vec<&'a Arc<CatalogEntry>> {
    view.tools_of(group).collect()
}

fn entry(tool: &CatalogEntry, group: Option<&TreeNode>) -> (String, Value) {
    let path = PathNotation::Dots.tool(tool, group);
    let value = json!({ "description": tool.tool.about.summary.trim(), "tool_path": path });
    (tool.name().to_owned(), value)
}
