//! The groups inside the group of an upstream, made of the names of its tools.

use crate::config::{GroupChoice, ServerSettings, names::group_name};
use pd_runtime::{
    Group, Tool,
    upstream::{
        subjects::{self, NamedTool, SubjectGroup},
        text::truncate::first_chars,
    },
};
use std::collections::HashSet;

/// The most tools of an upstream without groups of its own.
const FLAT_MAX: usize = 25;

/// The longest name of a group without a number, in characters. A name has 64 at most.
const NAME_MAX: usize = 59;

/// A tool as it is offered.
pub(crate) struct OfferedTool<S> {
    pub(crate) tool: Tool<S>,
    /// Whether its definition waits for approval. Lines and groups are not made of its texts.
    pub(crate) is_held: bool,
}

impl<S> OfferedTool<S> {
    /// Returns its name at its server and its summary, unless they are not approved.
    fn texts(&self) -> Option<NamedTool<'_>> {
        let about = &self.tool.about;
        let own = about.source.as_ref().map(|source| &*source.name);
        (!self.is_held).then(|| NamedTool {
            name: own.unwrap_or(&about.name),
            summary: &about.summary,
        })
    }
}

/// Returns the texts of tools, for a line about them.
pub(crate) fn named<S>(offered: &[OfferedTool<S>]) -> Vec<NamedTool<'_>> {
    offered.iter().filter_map(OfferedTool::texts).collect()
}

/// The names of groups that are taken: those of all upstreams, and those made so far.
pub(crate) struct GroupNames {
    taken: HashSet<String>,
}

impl GroupNames {
    pub(crate) fn new<'a>(upstreams: impl Iterator<Item = &'a String>) -> Self {
        Self {
            taken: upstreams.cloned().collect(),
        }
    }

    /// Takes a name: this one, or with a number behind.
    fn take(&mut self, name: &str) -> String {
        let name = group_name(first_chars(&group_name(name), NAME_MAX));
        let mut candidate = name.clone();
        let mut number = 2_u32;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}-{number}");
            number += 1;
        }
        candidate
    }
}

/// Adds the tools of an upstream to its group: all of them, or divided by what they are about if
/// they are many.
pub(crate) fn add<S>(
    group: Group<S>,
    offered: Vec<OfferedTool<S>>,
    settings: &ServerSettings,
    names: &mut GroupNames,
) -> Group<S> {
    let made = if settings.groups == GroupChoice::None || offered.len() <= FLAT_MAX {
        Vec::new()
    } else {
        // A tool without approved texts keeps its place.
        let texts = offered.iter().map(|tool| tool.texts().unwrap_or_default());
        subjects::groups(&texts.collect::<Vec<_>>())
    };
    if made.is_empty() {
        let tools = offered.into_iter().map(|offered| offered.tool);
        return tools.fold(group, Group::tool);
    }
    let mut division = Division {
        prefix: group.name().to_owned(),
        settings,
        names,
        tools: offered.into_iter().map(Some).collect(),
    };
    made.iter()
        .fold(group, |group, made| group.group(division.group(made)))
}

/// Tools on their way into groups.
struct Division<'a, S> {
    prefix: String,
    settings: &'a ServerSettings,
    names: &'a mut GroupNames,
    tools: Vec<Option<OfferedTool<S>>>,
}

impl<S> Division<'_, S> {
    fn group(&mut self, made: &SubjectGroup) -> Group<S> {
        let own = self.settings.groups.texts(&made.name).cloned();
        let own = own.unwrap_or_default();
        let name = own.name.as_ref().unwrap_or(&made.name);
        let name = self.names.take(&format!("{}-{name}", self.prefix));
        let group = match own.summary {
            Some(summary) => Group::new(name, summary),
            // Made before the tools are moved.
            None => Group::new(name, self.line(made)).made_summary(),
        };
        let tools = made
            .tools
            .iter()
            .filter_map(|place| Some(self.tools.get_mut(*place)?.take()?.tool));
        let group = tools.fold(group, Group::tool);
        made.groups
            .iter()
            .fold(group, |group, below| group.group(self.group(below)))
    }

    fn line(&self, made: &SubjectGroup) -> String {
        let places = made.all_tools();
        let tools = places
            .iter()
            .filter_map(|place| self.tools.get(*place)?.as_ref()?.texts());
        subjects::line(&tools.collect::<Vec<_>>()).unwrap_or_default()
    }
}
