//! The line about the tools of an upstream, and the groups inside its group, made of their names.

use crate::config::{GroupChoice, ServerSettings, names::group_name};
use parking_lot::Mutex;
use pd_runtime::{
    Group, Tool,
    upstream::{
        subjects::{self, NamedTool, SubjectGroup},
        text::truncate::first_chars,
    },
};
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// The most tools of an upstream without groups of its own.
const FLAT_MAX: usize = 25;

/// The longest name of a group without a number, in characters. A name has 64 at most.
const NAME_MAX: usize = 59;

/// A tool as it is offered.
pub(crate) struct OfferedTool<S> {
    pub(crate) tool: Tool<S>,
    /// Whether lines and groups must not be made of its texts: its definition waits for approval.
    pub(crate) is_held: bool,
    /// Whether it needs scopes that the server's other tools do not. A group must not have a name
    /// that only some callers may know.
    pub(crate) has_own_scopes: bool,
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

/// What is made of the tools of one upstream.
#[derive(Debug, Default)]
pub(crate) struct MadeTexts {
    /// The line about all tools.
    pub(crate) line: Option<String>,
    groups: Vec<MadeGroup>,
}

/// A group with its line.
#[derive(Debug)]
struct MadeGroup {
    subject: SubjectGroup,
    line: String,
    below: Vec<MadeGroup>,
}

/// The latest texts of an upstream. A gateway makes its registry anew whenever one of its servers
/// lists something else, and most have the same tools as before.
#[derive(Debug, Default)]
pub(crate) struct KnownTexts {
    known: Mutex<Option<(u64, Arc<MadeTexts>)>>,
}

impl KnownTexts {
    /// Returns the texts of these tools.
    pub(crate) fn of<S>(&self, offered: &[OfferedTool<S>]) -> Arc<MadeTexts> {
        let mut hasher = DefaultHasher::new();
        for tool in offered {
            let texts = tool.texts().map(|texts| (texts.name, texts.summary));
            (texts, tool.has_own_scopes).hash(&mut hasher);
        }
        let hash = hasher.finish();
        let mut known = self.known.lock();
        if let Some((_, made)) = known.as_ref().filter(|(own, _)| *own == hash) {
            return made.clone();
        }
        let made = Arc::new(MadeTexts::new(offered));
        *known = Some((hash, made.clone()));
        made
    }
}

impl MadeTexts {
    fn new<S>(offered: &[OfferedTool<S>]) -> Self {
        let named: Vec<_> = offered.iter().filter_map(OfferedTool::texts).collect();
        let groups = if offered.len() > FLAT_MAX {
            // A tool whose texts must not be used keeps its place, and joins no other.
            let open = offered.iter().map(|tool| {
                let texts = tool.texts().filter(|_| !tool.has_own_scopes);
                texts.unwrap_or_default()
            });
            let groups = subjects::groups(&open.collect::<Vec<_>>()).into_iter();
            groups.map(|made| MadeGroup::new(made, offered)).collect()
        } else {
            Vec::new()
        };
        Self {
            line: subjects::line(&named),
            groups,
        }
    }
}

impl MadeGroup {
    fn new<S>(mut subject: SubjectGroup, offered: &[OfferedTool<S>]) -> Self {
        let places = subject.all_tools();
        let tools = places
            .iter()
            .filter_map(|place| offered.get(*place)?.texts());
        let line = subjects::line(&tools.collect::<Vec<_>>()).unwrap_or_default();
        let below = std::mem::take(&mut subject.groups).into_iter();
        Self {
            line,
            below: below.map(|below| Self::new(below, offered)).collect(),
            subject,
        }
    }
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
