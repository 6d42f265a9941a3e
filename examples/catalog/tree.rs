//! The groups that tools and texts name, as a tree.

use crate::{
    document::GroupText,
    names::{self, SEPARATOR},
};
use pd_runtime::{Group, Tool};
use std::collections::HashMap;

/// All groups by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// In order, parents first.
    paths: Vec<String>,
    /// The tools of each group, by their place in the file.
    tools: HashMap<String, Vec<usize>>,
    texts: HashMap<String, GroupText>,
}

/// A tool until its first group takes it; its name serves the others.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) tool: Option<Tool<()>>,
}

impl Tree {
    /// Gives a group its texts.
    pub(crate) fn describe(&mut self, text: GroupText) {
        let path = self.grow(text.id());
        self.texts.insert(path, text);
    }

    /// Puts a tool into a group.
    pub(crate) fn put(&mut self, tool: usize, id: &str) {
        let path = self.grow(id);
        let tools = self.tools.entry(path).or_default();
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }

    /// The path that an id means, with a group at each part of it.
    fn grow(&mut self, id: &str) -> String {
        let mut path = String::new();
        for part in parts(id) {
            if !path.is_empty() {
                path.push(SEPARATOR);
            }
            path.push_str(part);
            self.tools.entry(path.clone()).or_insert_with(|| {
                self.paths.push(path.clone());
                Vec::new()
            });
        }
        path
    }

    /// What each group is served as, by path.
    pub(crate) fn names(&self) -> HashMap<&str, String> {
        let paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
        paths.iter().copied().zip(names::of_paths(&paths)).collect()
    }

    /// The top groups with all that stands in them. They take their tools out of their places.
    pub(crate) fn groups(&self, places: &mut [Place]) -> Vec<Group<()>> {
        self.below("", &self.names(), places)
    }

    fn below(
        &self,
        parent: &str,
        names: &HashMap<&str, String>,
        places: &mut [Place],
    ) -> Vec<Group<()>> {
        let inside = self.paths.iter().filter(|path| above(path) == parent);
        inside.map(|path| self.group(path, names, places)).collect()
    }

    fn group(&self, path: &str, names: &HashMap<&str, String>, places: &mut [Place]) -> Group<()> {
        let (summary, instructions) = self.words(path);
        let name = names.get(path).cloned().unwrap_or_default();
        let mut group = Group::new(name, summary).instructions(instructions);
        for tool in self.tools.get(path).into_iter().flatten() {
            let Some(place) = places.get_mut(*tool) else {
                continue;
            };
            group = match place.tool.take() {
                Some(tool) => group.tool(tool),
                None => group.member(place.name.clone()),
            };
        }
        self.below(path, names, places)
            .into_iter()
            .fold(group, Group::group)
    }

    /// A group's summary and instructions.
    fn words(&self, path: &str) -> (String, String) {
        let made = || made_from(names::end(path));
        let Some(text) = self.texts.get(path) else {
            return (made(), String::new());
        };
        let (summary, rest) = text.headline();
        let own = text.instructions.as_deref().unwrap_or_default().trim();
        let instructions = [rest, own].join("\n\n").trim().to_owned();
        let titled = [Some(summary), text.title.clone()]
            .into_iter()
            .flatten()
            .find(|summary| !summary.is_empty());
        (titled.unwrap_or_else(made), instructions)
    }
}

impl GroupText {
    /// The description's first paragraph, in one line, and what follows it.
    fn headline(&self) -> (String, &str) {
        let description = self.description.as_deref().unwrap_or_default().trim();
        let (first, rest) = description.split_once("\n\n").unwrap_or((description, ""));
        (first.split_whitespace().collect::<Vec<_>>().join(" "), rest)
    }
}

fn parts(id: &str) -> impl Iterator<Item = &str> {
    id.split(SEPARATOR)
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// The path of the group that a path's group stands in; empty at the top.
fn above(path: &str) -> &str {
    path.rsplit_once(SEPARATOR).map_or("", |(above, _)| above)
}

/// A summary for a group that has no text: `issue_tracking` holds `Issue tracking tools`.
fn made_from(id: &str) -> String {
    let words = id
        .split(['-', '_', '.', ' '])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let mut letters = words.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{} tools", letters.as_str())
}
