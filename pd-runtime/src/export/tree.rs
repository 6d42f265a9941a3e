//! `tree`: the whitepaper's reference architecture. An agent reads one level at a time: the
//! servers, the tools of one server, the use of one tool.

use super::{ExportFile, descriptions, index, names::directory_name};
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
};
use serde_json::{Value, json};
use std::sync::Arc;

const SCHEMAS: &str = "schemas/";

/// A server in a tree.
pub(super) struct TreeServer<'a> {
    pub(super) name: &'a str,
    description: String,
    tools: Vec<&'a Arc<CatalogEntry>>,
    groups: Vec<&'a TreeNode>,
}

impl<'a> TreeServer<'a> {
    /// Returns the server of a view.
    pub(super) fn from_view(view: &CallerView<'a>) -> Self {
        let info = &view.catalog.info;
        Self {
            name: &info.name,
            description: first_paragraph(&info.instructions),
            tools: view.visible().collect(),
            groups: view.groups_in(None),
        }
    }

    /// Returns a server for each group of the top level. For a gateway, these are its servers.
    #[cfg(feature = "cli")]
    pub(super) fn from_groups(view: &CallerView<'a>) -> Vec<Self> {
        let servers = view.groups_in(None).into_iter().map(|node| Self {
            name: &node.name,
            description: view.summary_of(node).trim().to_owned(),
            tools: view.all_tools_of(node).collect(),
            groups: view.groups_in(Some(node)),
        });
        servers.collect()
    }

    pub(super) fn files(&self, view: &CallerView<'a>) -> Vec<ExportFile> {
        let directory = directory_name(self.name);
        let described = descriptions::files_in(
            &format!("{directory}/{SCHEMAS}"),
            self.tools.iter().copied(),
        );
        let manifest = self.manifest(&format!("{directory}/"), &described, view);
        let mut files = vec![ExportFile::json(
            format!("{directory}/manifest.json"),
            &manifest,
        )];
        files.extend(described.into_iter().map(|(_, file)| file));
        files
    }

    /// Returns the server's entry in the index.
    pub(super) fn entry(&self) -> Value {
        index::entry(self.name, &self.description)
    }

    /// Renders the manifest: the tools without their schemas, and the groups with the names of
    /// their tools.
    fn manifest(
        &self,
        directory: &str,
        described: &[(&str, ExportFile)],
        view: &CallerView<'_>,
    ) -> Value {
        let tools = self.tools.iter().zip(described).map(|(entry, (name, file))| {
            // Relative to the manifest, so that the server's directory can be moved.
            let schema = file.path.strip_prefix(directory).unwrap_or(&file.path);
            json!({ "name": name, "description": entry.tool.about.summary.trim(), "schema": schema })
        });
        let mut manifest = json!({ "tools": tools.collect::<Value>() });
        let groups: Vec<Value> = self.groups.iter().map(|node| group(node, view)).collect();
        if !groups.is_empty()
            && let Value::Object(manifest) = &mut manifest
        {
            manifest.insert("groups".to_owned(), Value::Array(groups));
        }
        manifest
    }
}

fn group(node: &TreeNode, view: &CallerView<'_>) -> Value {
    let tools: Vec<&str> = view.tools_of(node).map(|entry| entry.name()).collect();
    let groups: Vec<Value> = view
        .groups_in(Some(node))
        .into_iter()
        .map(|inner| group(inner, view))
        .collect();
    let mut json =
        json!({ "name": node.name, "description": view.summary_of(node).trim(), "tools": tools });
    if !groups.is_empty()
        && let Value::Object(json) = &mut json
    {
        json.insert("groups".to_owned(), Value::Array(groups));
    }
    json
}

/// Returns the first paragraph in one line. An author breaks lines within a sentence.
fn first_paragraph(text: &str) -> String {
    let lines = text
        .trim_start()
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}
