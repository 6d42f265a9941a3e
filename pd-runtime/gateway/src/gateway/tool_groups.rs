//! The groups inside the group of an upstream.

use crate::{
    config::{GroupChoice, ServerSettings, names::group_name},
    upstream::made_texts::{MadeGroup, MadeTexts, OfferedTool},
};
use pd_runtime::{Group, Tool, upstream::text::truncate::first_chars};
use std::collections::HashSet;

/// The longest name of a group without a number, in characters. A name has 64 at most.
const NAME_MAX: usize = 59;

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

/// Adds the tools of an upstream to its group: all of them, or divided into the made groups.
pub(crate) fn add<S>(
    group: Group<S>,
    offered: Vec<OfferedTool<S>>,
    made: &MadeTexts,
    settings: &ServerSettings,
    names: &mut GroupNames,
) -> Group<S> {
    if settings.groups == GroupChoice::None || made.groups.is_empty() {
        let tools = offered.into_iter().map(|offered| offered.tool);
        return tools.fold(group, Group::tool);
    }
    let mut division = Division {
        prefix: group.name().to_owned(),
        settings,
        names,
        tools: offered
            .into_iter()
            .map(|offered| Some(offered.tool))
            .collect(),
    };
    let made = made.groups.iter();
    made.fold(group, |group, made| group.group(division.group(made)))
}

/// Tools on their way into groups.
struct Division<'a, S> {
    prefix: String,
    settings: &'a ServerSettings,
    names: &'a mut GroupNames,
    tools: Vec<Option<Tool<S>>>,
}

impl<S> Division<'_, S> {
    fn group(&mut self, made: &MadeGroup) -> Group<S> {
        let own = self.settings.groups.texts(&made.subject.name).cloned();
        let own = own.unwrap_or_default();
        let name = own.name.as_ref().unwrap_or(&made.subject.name);
        let name = self.names.take(&format!("{}-{name}", self.prefix));
        let group = match own.summary {
            Some(summary) => Group::new(name, summary),
            None => Group::new(name, made.line.clone()).made_summary(),
        };
        let places = made.subject.tools.iter();
        let tools = places.filter_map(|place| self.tools.get_mut(*place)?.take());
        let group = tools.fold(group, Group::tool);
        made.below
            .iter()
            .fold(group, |group, below| group.group(self.group(below)))
    }
}
