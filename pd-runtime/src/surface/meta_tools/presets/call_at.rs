//! The meta-tool that calls the tool at a path.

use crate::{
    disclosure::view::CallerView,
    policy::meta_tools::OfferedMetaTool,
    surface::{
        meta_tools::{
            MetaToolReply, StaticSchema,
            arguments::MetaToolArguments,
            call::{cautious, nested_call, target},
            notation::PathNotation,
            object,
            path::{is_root, tool},
            read_only_tool,
        },
        nested_arguments,
    },
    text::truncate::first_chars,
};

use rmcp::model::{JsonObject, Tool};
use serde_json::json;
use std::sync::Arc;

/// The most characters of a path that are read, because errors repeat it.
const PATH_MAX: usize = 200;

/// Returns the list entry.
pub(super) fn definition(offer: &OfferedMetaTool, argument: &str) -> Tool {
    static PATH: StaticSchema = StaticSchema::new(|| schema("path"));
    static TOOL_PATH: StaticSchema = StaticSchema::new(|| schema("tool_path"));
    let schema = if argument == "path" {
        &PATH
    } else {
        &TOOL_PATH
    };
    cautious(read_only_tool(offer, "Call the tool at a path", schema))
}

fn schema(argument: &str) -> Arc<JsonObject> {
    object(json!({
        "type": "object",
        "properties": { argument: { "type": "string" }, "arguments": nested_arguments::schema() },
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
    let mut sent = arguments.into_inner();
    nested_arguments::unwrap_call(&mut sent, argument, &offer.name);
    let arguments = MetaToolArguments::new(Some(sent));
    let path: String = first_chars(arguments.text(argument), PATH_MAX).to_owned();
    if is_root(&path) {
        return Err(format!("`{argument}` must be the path of a tool"));
    }
    // A meta-tool has no path, so the last part may be its name.
    let name = tool(&path, view).map_or_else(
        || path.rsplit('/').next().unwrap_or(&path),
        |entry| entry.name(),
    );
    if view.resolve(name).is_none() && view.meta_tools().find_name(name).is_none() {
        view.recorder.record_unknown(name);
        // The tree calls the argument `path`, and lazy-mcp `tool_path`.
        let notation = if argument == "path" {
            PathNotation::Slashes
        } else {
            PathNotation::Dots
        };
        return Err(notation.unknown_tool(&path, view));
    }
    let entry = target(offer, name, view)?;
    nested_call(argument, arguments, entry, view)
}
