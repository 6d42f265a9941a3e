//! Resolves the names in a caller's request: tools, groups by their paths, and bundles. A group or
//! bundle means all of its tools, and adds its instructions.

use crate::disclosure::view::CallerView;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The requested tools, named one by one or by the group or bundle that contains them.
#[derive(Debug, Default)]
pub(crate) struct ResolvedNames<'a> {
    /// The tool names, each once, in the order of the request. An unknown name stays as it is.
    pub(crate) tools: Vec<String>,
    headings: Vec<ResolvedToolSet<'a>>,
}

/// A requested group or bundle.
#[derive(Debug)]
struct ResolvedToolSet<'a> {
    /// The path, with a leading slash, so that it differs from every tool name.
    path: String,
    instructions: &'a str,
    tools: Vec<&'a str>,
}

impl<'a> ResolvedNames<'a> {
    /// Resolves these names. If a tool and a group have the same name, the name means the tool; the
    /// group still has its path.
    pub(crate) fn resolve(names: &[String], view: &CallerView<'a>) -> Self {
        if view.names_too_many(names.len()) {
            // The request will be refused, so groups are not expanded.
            return Self {
                tools: names.to_vec(),
                headings: Vec::new(),
            };
        }
        let mut selection = Self::default();
        for name in names {
            match ResolvedToolSet::resolve(name, view) {
                None => selection.tools.push(
                    view.resolve(name)
                        .map_or_else(|| name.clone(), |tool| tool.name().to_owned()),
                ),
                Some(heading)
                    if selection
                        .headings
                        .iter()
                        .any(|known| known.path == heading.path) => {}
                Some(heading) => {
                    selection
                        .tools
                        .extend(heading.tools.iter().map(|tool| (*tool).to_owned()));
                    selection.headings.push(heading);
                }
            }
        }
        let mut seen = HashSet::new();
        selection.tools.retain(|tool| seen.insert(tool.clone()));
        selection
    }

    /// Returns the tools' document with the requested groups and bundles before them.
    pub(crate) fn render_document(&self, tools: String) -> String {
        let headings: JsonObject = self
            .headings
            .iter()
            .map(|heading| (heading.path.clone(), heading.render_document()))
            .collect();
        if headings.is_empty() {
            return tools;
        }
        let mut out = Value::Object(headings).to_string();
        // Joins two JSON objects as text: parsing the descriptions again would cost more than
        // writing them.
        out.pop();
        out.push(',');
        out.push_str(tools.strip_prefix('{').unwrap_or(&tools));
        out
    }

    /// Returns the instructions of the requested groups and bundles, followed by a text about their
    /// tools.
    pub(crate) fn render_text(&self, tools: &str) -> String {
        let instructions = self
            .headings
            .iter()
            .filter(|heading| !heading.instructions.is_empty());
        let instructions =
            instructions.map(|heading| format!("{}: {}\n\n", heading.path, heading.instructions));
        instructions.chain([tools.to_owned()]).collect()
    }
}

impl<'a> ResolvedToolSet<'a> {
    fn resolve(name: &str, view: &CallerView<'a>) -> Option<Self> {
        if view.find(name).is_some() || view.meta_tools().find_name(name).is_some() {
            return None;
        }
        if let Some(group) = view.group(name) {
            let tools = view.all_tools_of(group).map(|entry| entry.name()).collect();
            return Some(Self {
                path: group.path.to_string(),
                instructions: &group.instructions,
                tools,
            });
        }
        if view.resolve(name).is_some() {
            return None;
        }
        // Answers write a bundle's name with a slash, so a model may send it back that way.
        let bundle = view.bundle(name.trim_matches('/'))?;
        let tools = bundle
            .tools
            .iter()
            .filter_map(|tool| view.find(tool))
            .map(|entry| entry.name())
            .collect();
        Some(Self {
            path: format!("/{}", bundle.name),
            instructions: &bundle.instructions,
            tools,
        })
    }

    fn render_document(&self) -> Value {
        match self.instructions {
            "" => json!({ "tools": self.tools }),
            instructions => json!({ "instructions": instructions, "tools": self.tools }),
        }
    }
}
