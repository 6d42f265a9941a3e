//! The line about the tools of an upstream, and the groups of them, made of their names.

use parking_lot::Mutex;
use pd_runtime::{
    Tool,
    upstream::subjects::{self, NamedTool, SubjectGroup},
};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// The most tools of an upstream without groups of its own.
const FLAT_MAX: usize = 25;

/// A tool as it is offered.
pub(crate) struct OfferedTool<S> {
    pub(crate) tool: Tool<S>,
    /// Whether it needs scopes that the server's other tools do not. A group must not have a name
    /// that only some callers may know.
    pub(crate) has_own_scopes: bool,
    /// The label of its group, from the document of an API.
    pub(crate) label: Option<String>,
}

impl<S> OfferedTool<S> {
    fn texts(&self) -> Option<NamedTool<'_>> {
        NamedTool::of(&self.tool.about)
    }
}

/// What is made of the tools of one upstream.
#[derive(Debug, Default)]
pub(crate) struct MadeTexts {
    /// The line about all tools.
    pub(crate) line: Option<String>,
    pub(crate) groups: Vec<MadeGroup>,
}

/// A group with its line.
#[derive(Debug)]
pub(crate) struct MadeGroup {
    pub(crate) subject: SubjectGroup,
    pub(crate) line: String,
    pub(crate) below: Vec<MadeGroup>,
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
            (texts, tool.has_own_scopes, &tool.label).hash(&mut hasher);
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
            let open: Vec<_> = open.collect();
            let labels = offered.iter().map(|tool| {
                let label = tool.label.as_deref();
                label.filter(|_| !tool.has_own_scopes && tool.texts().is_some())
            });
            let groups = subjects::labeled_groups(&open, &labels.collect::<Vec<_>>()).into_iter();
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
