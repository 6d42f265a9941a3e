//! `anthropic` and `openai`: the `tools` of a request. All are deferred but those that the author wants in every list, so that
//! the request's prompt holds a search and little else.

use super::File;
use crate::{
    catalog::{entry::Entry, tree::Node},
    disclosure::view::View,
    provider::{self, anthropic, openai},
};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

pub(super) fn anthropic(view: &View<'_>) -> Vec<File> {
    let names = Names::new(view);
    let tool = |entry: &Entry| {
        let about = &entry.tool.about;
        anthropic::tool(names.tool_name(entry), about.text(), &about.input.schema, !about.eager)
    };
    let tools = std::iter::once(anthropic::search()).chain(view.visible().map(|entry| tool(entry)));
    names.files(tools.collect())
}

/// A tool that stands in several groups is in the first one's namespace alone: names are unique in a request.
pub(super) fn openai(view: &View<'_>) -> Vec<File> {
    let names = Names::new(view);
    let tool = |entry: &Entry, deferred| {
        let about = &entry.tool.about;
        openai::tool(names.tool_name(entry), about.text(), &about.input.schema, deferred)
    };
    let mut written = HashSet::new();
    let mut tools = vec![openai::search()];
    for entry in view.visible().filter(|entry| entry.is_top || entry.tool.about.eager) {
        written.insert(entry.place);
        tools.push(tool(entry, !entry.tool.about.eager));
    }
    for group in view.tree().nodes().iter().filter(|group| view.sees_group(group)) {
        let own = view.tools_of(group).filter(|entry| written.insert(entry.place));
        let own: Vec<Value> = own.map(|entry| tool(entry, true)).collect();
        if !own.is_empty() {
            tools.push(openai::namespace(names.group_name(group), group.summary.trim(), &own));
        }
    }
    names.files(tools)
}

/// What tools and groups are called in a request, where MCP's names may not fit or two would become one.
struct Names<'a> {
    tools: HashMap<&'a str, String>,
    groups: HashMap<&'a str, String>,
}

impl<'a> Names<'a> {
    fn new(view: &View<'a>) -> Self {
        let groups = view.tree().nodes().iter().map(|group| &*group.name);
        Self { tools: distinct(view.visible().map(|entry| entry.name())), groups: distinct(groups) }
    }

    fn tool_name<'s>(&'s self, entry: &'s Entry) -> &'s str {
        self.tools.get(entry.name()).map_or(entry.name(), String::as_str)
    }

    fn group_name<'s>(&'s self, group: &'s Node) -> &'s str {
        self.groups.get(&*group.name).map_or(&group.name, String::as_str)
    }

    /// `tools.json`, and, where a tool is called otherwise there, what it is called by MCP.
    fn files(&self, tools: Vec<Value>) -> Vec<File> {
        let mut renamed: Vec<_> = self.tools.iter().filter(|(own, name)| **own != name.as_str()).collect();
        renamed.sort();
        let mut files = vec![File::json("tools.json", &json!({ "tools": tools }))];
        if !renamed.is_empty() {
            let names: Map<String, Value> = renamed.into_iter().map(|(own, name)| (name.clone(), json!(own))).collect();
            files.push(File::json("names.json", &Value::Object(names)));
        }
        files
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, String> {
    let mut taken = HashSet::new();
    let names: Vec<&str> = names.collect();
    // Those that fit keep their names, wherever they stand.
    let fitting: HashSet<&str> = names.iter().copied().filter(|own| provider::name(own) == **own).collect();
    let mut name = |own: &'a str| {
        let mut name = provider::name(own).into_owned();
        if !fitting.contains(own) && (fitting.contains(name.as_str()) || !taken.insert(name.clone())) {
            name = provider::told_apart(&name, own);
        }
        (own, name)
    };
    names.iter().map(|own| name(own)).collect()
}
