//! `anthropic` and `openai`: the `tools` of a request. All tools are deferred, except those that
//! the author marked for every list, so the request's prompt contains little more than a search.

use super::ExportFile;
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    provider::{self, anthropic, openai},
};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

pub(super) fn anthropic(view: &CallerView<'_>) -> Vec<ExportFile> {
    let names = ProviderNames::new(view);
    let tools = view.visible().map(|entry| {
        let about = &entry.tool.about;
        anthropic::tool(
            names.tool_name(entry),
            about.text(),
            &about.input.schema,
            !about.eager,
        )
    });
    names.files(std::iter::once(anthropic::search()).chain(tools).collect())
}

/// Returns the files of OpenAI's format. A tool in several groups is only in the namespace of the
/// first one, because names must be unique in a request.
pub(super) fn openai(view: &CallerView<'_>) -> Vec<ExportFile> {
    let names = ProviderNames::new(view);
    let mut written = HashSet::new();
    let mut tools = vec![openai::search()];
    for entry in view
        .visible()
        .filter(|entry| entry.is_top || entry.tool.about.eager)
    {
        written.insert(entry.place);
        tools.push(names.openai_tool(entry, !entry.tool.about.eager));
    }
    for group in view
        .tree()
        .nodes()
        .iter()
        .filter(|group| view.sees_group(group))
    {
        let own = view
            .tools_of(group)
            .filter(|entry| written.insert(entry.place));
        let own: Vec<Value> = own.map(|entry| names.openai_tool(entry, true)).collect();
        if !own.is_empty() {
            tools.push(openai::namespace(
                names.group_name(group),
                view.summary_of(group).trim(),
                &own,
            ));
        }
    }
    names.files(tools)
}

/// The names of tools and groups in a request. They differ from MCP's names where a name does not
/// follow the provider's rules, or where two names would become the same.
struct ProviderNames<'a> {
    tools: HashMap<&'a str, String>,
    groups: HashMap<&'a str, String>,
}

impl<'a> ProviderNames<'a> {
    fn new(view: &CallerView<'a>) -> Self {
        let groups = view.tree().nodes().iter().map(|group| &*group.name);
        Self {
            tools: distinct(view.visible().map(|entry| entry.name())),
            groups: distinct(groups),
        }
    }

    fn tool_name<'s>(&'s self, entry: &'s CatalogEntry) -> &'s str {
        self.tools
            .get(entry.name())
            .map_or(entry.name(), String::as_str)
    }

    fn group_name<'s>(&'s self, group: &'s TreeNode) -> &'s str {
        self.groups
            .get(&*group.name)
            .map_or(&group.name, String::as_str)
    }

    fn openai_tool(&self, entry: &CatalogEntry, deferred: bool) -> Value {
        let about = &entry.tool.about;
        openai::tool(
            self.tool_name(entry),
            about.text(),
            &about.input.schema,
            deferred,
        )
    }

    /// Returns `tools.json`, and, if tools were renamed, `names.json` with their MCP names.
    fn files(&self, tools: Vec<Value>) -> Vec<ExportFile> {
        let mut renamed: Vec<_> = self
            .tools
            .iter()
            .filter(|(own, name)| **own != name.as_str())
            .collect();
        // A hash map has no stable order, but the same registry must give the same bytes.
        renamed.sort();
        let mut files = vec![ExportFile::json("tools.json", &json!({ "tools": tools }))];
        if !renamed.is_empty() {
            let names: Map<String, Value> = renamed
                .into_iter()
                .map(|(own, name)| (name.clone(), json!(own)))
                .collect();
            files.push(ExportFile::json("names.json", &Value::Object(names)));
        }
        files
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, String> {
    let mut taken = HashSet::new();
    let names: Vec<&str> = names.collect();
    // Names that follow the rules stay as they are, wherever they are in the list.
    let fitting: HashSet<&str> = names
        .iter()
        .copied()
        .filter(|own| provider::name(own) == **own)
        .collect();
    let mut name = |own: &'a str| {
        let mut name = provider::name(own).into_owned();
        if !fitting.contains(own)
            && (fitting.contains(name.as_str()) || !taken.insert(name.clone()))
        {
            name = provider::with_digest_suffix(&name, own);
        }
        (own, name)
    };
    names.iter().map(|own| name(own)).collect()
}
