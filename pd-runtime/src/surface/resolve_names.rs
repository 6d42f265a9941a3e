//! What a caller means by the names it gives: tools, groups by their paths, bundles. A group or bundle stands for all of
//! its tools, and brings its instructions along.

use crate::disclosure::view::View;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The tools that were asked for, one by one or by what holds them.
#[derive(Debug, Default)]
pub(crate) struct Selection<'a> {
    /// Each once, in the order asked; a name of nothing stays as it is.
    pub(crate) tools: Vec<String>,
    headings: Vec<Heading<'a>>,
}

/// A group or bundle that was asked for.
#[derive(Debug)]
struct Heading<'a> {
    /// With a slash before it, so that it is no tool's name.
    path: String,
    instructions: &'a str,
    tools: Vec<&'a str>,
}

impl<'a> Selection<'a> {
    /// What these names mean. Where a tool and a group have one name, the tool is meant; the group still has its path.
    pub(crate) fn of(names: &[String], view: &View<'a>) -> Self {
        if view.names_too_many(names.len()) {
            // Too many as they are: what they hold is not looked up.
            return Self { tools: names.to_vec(), headings: Vec::new() };
        }
        let mut selection = Self::default();
        for name in names {
            match Heading::of(name, view) {
                None => selection.tools.push(name.clone()),
                Some(heading) if selection.headings.iter().any(|known| known.path == heading.path) => {}
                Some(heading) => {
                    selection.tools.extend(heading.tools.iter().map(|tool| (*tool).to_owned()));
                    selection.headings.push(heading);
                }
            }
        }
        let mut seen = HashSet::new();
        selection.tools.retain(|tool| seen.insert(tool.clone()));
        selection
    }

    /// The document of the tools, with what was asked for by a heading before them.
    pub(crate) fn in_document(&self, tools: String) -> String {
        let told: JsonObject =
            self.headings.iter().map(|heading| (heading.path.clone(), heading.in_document())).collect();
        if told.is_empty() {
            return tools;
        }
        let mut out = Value::Object(told).to_string();
        out.pop();
        out.push(',');
        out.push_str(tools.strip_prefix('{').unwrap_or(&tools));
        out
    }

    /// The instructions of what was asked for by a heading, before a text about its tools.
    pub(crate) fn in_words(&self, tools: &str) -> String {
        let told = self.headings.iter().filter(|heading| !heading.instructions.is_empty());
        let told = told.map(|heading| format!("{}: {}\n\n", heading.path, heading.instructions));
        told.chain([tools.to_owned()]).collect()
    }
}

impl<'a> Heading<'a> {
    fn of(name: &str, view: &View<'a>) -> Option<Self> {
        if view.find(name).is_some() || view.policy.meta_tools().named(name).is_some() {
            return None;
        }
        if let Some(group) = view.group(name) {
            let tools = view.all_tools_of(group).map(|entry| entry.name()).collect();
            return Some(Self { path: group.path.to_string(), instructions: &group.instructions, tools });
        }
        let bundle = view.bundle(name.trim_matches('/'))?;
        let tools = bundle.tools.iter().filter_map(|tool| view.find(tool)).map(|entry| entry.name()).collect();
        Some(Self { path: format!("/{}", bundle.name), instructions: &bundle.instructions, tools })
    }

    fn in_document(&self) -> Value {
        match self.instructions {
            "" => json!({ "tools": self.tools }),
            instructions => json!({ "instructions": instructions, "tools": self.tools }),
        }
    }
}
