//! `tree`: the whitepaper's reference architecture. An agent reads one level at a time: the
//! servers, the tools of one server, the use of one tool.

use super::{ExportFile, descriptions, index, names::FileNames};
use crate::{catalog::tree::TreeNode, disclosure::view::CallerView};
use serde_json::{Value, json};

const SCHEMAS: &str = "schemas/";

pub(super) fn files(view: &CallerView<'_>) -> Vec<ExportFile> {
    let info = &view.catalogue.info;
    let directory = directory_name(&info.name);
    let described = descriptions::files_in(&format!("{directory}/{SCHEMAS}"), view);
    let manifest = manifest(&format!("{directory}/"), &described, view);
    let mut files = vec![ExportFile::json(format!("{directory}/manifest.json"), &manifest)];
    files.extend(described.into_iter().map(|(_, file)| file));
    files
}

/// Returns the server's entry in the index.
pub(super) fn entry(view: &CallerView<'_>) -> Value {
    let info = &view.catalogue.info;
    index::entry(&info.name, first_line(&info.instructions))
}

/// Returns the directory of a server. It depends only on the server's name, so that the exports of
/// several servers need not know of each other.
pub(super) fn directory_name(server: &str) -> String {
    FileNames::with_taken(&[index::NAME]).take(server)
}

/// Renders the manifest: the tools without their schemas, and the groups with the names of their
/// tools.
fn manifest(directory: &str, described: &[(&str, ExportFile)], view: &CallerView<'_>) -> Value {
    let tools = view.visible().zip(described).map(|(entry, (name, file))| {
        // Relative to the manifest, so that the server's directory can be moved.
        let schema = file.path.strip_prefix(directory).unwrap_or(&file.path);
        json!({ "name": name, "description": entry.tool.about.summary.trim(), "schema": schema })
    });
    let mut manifest = json!({ "tools": tools.collect::<Value>() });
    let groups: Vec<Value> = view.groups_in(None).into_iter().map(|node| group(node, view)).collect();
    if !groups.is_empty()
        && let Value::Object(manifest) = &mut manifest
    {
        manifest.insert("groups".to_owned(), Value::Array(groups));
    }
    manifest
}

fn group(node: &TreeNode, view: &CallerView<'_>) -> Value {
    let tools: Vec<&str> = view.tools_of(node).map(|entry| entry.name()).collect();
    let groups: Vec<Value> = view.groups_in(Some(node)).into_iter().map(|inner| group(inner, view)).collect();
    let mut json = json!({ "name": node.name, "description": node.summary.trim(), "tools": tools });
    if !groups.is_empty()
        && let Value::Object(json) = &mut json
    {
        json.insert("groups".to_owned(), Value::Array(groups));
    }
    json
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
