//! Tools at paths: `/history/blame/lines`, with slashes or dots, is the tool `lines` in that group.

use super::{
    MetaToolReply, StaticSchema,
    arguments::MetaToolArguments,
    call::{cautious, nested_call, target},
    notation::PathNotation,
    object, read_only_tool,
};
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    policy::meta_tools::OfferedMetaTool,
};

use rmcp::model::{JsonObject, Tool};
use serde_json::json;
use std::sync::Arc;

/// The most characters of a path that are read, because errors repeat it.
const PATH_MAX: usize = 200;

/// Returns the tool at a path, or of this name.
pub(super) fn tool<'a>(path: &str, view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    let path = path.trim().trim_matches('/');
    // Tool names may contain dots, so each separator may be the one between group and name.
    view.find(path).or_else(|| path.match_indices(['/', '.']).find_map(|(at, _)| in_group(path, at, view)))
}

/// Returns the tool whose name begins after this position of a path, if the group before it
/// contains the tool.
fn in_group<'a>(path: &str, at: usize, view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    let group = group(path.get(..at)?, view)?;
    let entry = view.find(path.get(at + 1..)?)?;
    group.all_tools.contains(&entry.place).then_some(entry)
}

/// Returns the group at a path with slashes or dots.
pub(crate) fn group<'a>(path: &str, view: &CallerView<'a>) -> Option<&'a TreeNode> {
    view.group(&path.replace('.', "/"))
}

/// Returns whether a path means the top level.
pub(crate) fn is_root(path: &str) -> bool {
    path.trim_matches(['/', '.']).is_empty()
}

/// Returns the list entry of the meta-tool that calls the tool at a path.
pub(super) fn definition(offer: &OfferedMetaTool, argument: &str) -> Tool {
    static PATH: StaticSchema = StaticSchema::new(|| schema("path"));
    static TOOL_PATH: StaticSchema = StaticSchema::new(|| schema("tool_path"));
    let schema = if argument == "path" { &PATH } else { &TOOL_PATH };
    cautious(read_only_tool(offer, "Call the tool at a path", schema))
}

fn schema(argument: &str) -> Arc<JsonObject> {
    object(json!({
        "type": "object",
        "properties": { argument: { "type": "string" }, "arguments": { "type": "object" } },
        "required": [argument, "arguments"],
    }))
}

/// Calls the meta-tool.
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(super) fn call(
    offer: &OfferedMetaTool,
    argument: &str,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    let path: String = arguments.text(argument).chars().take(PATH_MAX).collect();
    if is_root(&path) {
        return Err(format!("`{argument}` must be the path of a tool"));
    }
    let name = tool(&path, view).map_or_else(|| path.rsplit('/').next().unwrap_or(&path), |entry| entry.name());
    if view.find(name).is_none() && view.policy.meta_tools().find_name(name).is_none() {
        view.recorder.record_unknown(name);
        let notation = if argument == "path" { PathNotation::Slashes } else { PathNotation::Dots };
        return Err(notation.unknown_tool(&path, view));
    }
    let entry = target(offer, name, view)?;
    nested_call(argument, arguments, entry, view)
}
