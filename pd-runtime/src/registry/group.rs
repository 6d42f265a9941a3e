//! Groups of tools, as the author builds them (`Group`) and as a registry exposes them
//! (`GroupView`).

use super::{bundle::prefixed, skill_file::SkillFile, tool::Tool};
use std::borrow::Cow;

/// The maximum nesting of groups. Paths that callers send are resolved up to this depth.
pub(crate) const DEPTH_MAX: usize = 8;

/// A named group of tools under construction.
///
/// ```
/// use pd_runtime::Group;
///
/// let history: Group<()> = Group::new("history", "Read history: commits, authors, blame")
///     .instructions("Start with `log`; `blame` is slow on long files.");
/// # let _ = history;
/// ```
#[derive(Debug)]
pub struct Group<S> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) summary: Cow<'static, str>,
    pub(crate) instructions: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) nodes: Vec<GroupNode<S>>,
    pub(crate) prompts: Vec<Cow<'static, str>>,
    pub(crate) resources: Vec<Cow<'static, str>>,
    pub(crate) files: Vec<SkillFile>,
    /// Whether the summary names the tools.
    pub(crate) has_made_summary: bool,
}

/// One entry of a group: a tool, the name of a tool, or a nested group.
#[derive(Debug)]
pub enum GroupNode<S> {
    /// A tool.
    Tool(Box<Tool<S>>),
    /// The name of a tool that is declared elsewhere in the registry.
    Member(Cow<'static, str>),
    /// A group.
    Group(Group<S>),
}

impl<S> Group<S> {
    /// Creates a group called `name`, `[a-z0-9-]{1,64}`. The summary describes its contents in one
    /// line.
    pub fn new(name: impl Into<Cow<'static, str>>, summary: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let summary = summary.into();
        let instructions = Cow::Borrowed("");
        let prompts = Vec::new();
        let resources = Vec::new();
        Self {
            name,
            summary,
            instructions,
            title: None,
            nodes: Vec::new(),
            prompts,
            resources,
            files: Vec::new(),
            has_made_summary: false,
        }
    }

    /// States that the summary was made of the group's tools. A caller who does not see all of them
    /// gets a summary of those that it sees, and search does not read it.
    #[must_use]
    pub fn made_summary(mut self) -> Self {
        self.has_made_summary = true;
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the summary.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Sets the name that clients of the Groups extension show to people.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the instructions that a caller reads before it uses the group's tools.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Adds a file of your own to the group's skill: a script, a reference, a template; see
    /// [`SkillFile`]. The server exposes a group with files as a skill, with or without
    /// instructions.
    #[must_use]
    pub fn file(self, path: impl AsRef<str>, contents: impl AsRef<[u8]>) -> Self {
        self.files([SkillFile::new(path, contents)])
    }

    /// Adds several files, such as those of a directory ([`SkillFile::read_dir`]).
    #[must_use]
    pub fn files(mut self, files: impl IntoIterator<Item = SkillFile>) -> Self {
        self.files.extend(files);
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool<S>) -> Self {
        self.nodes.push(GroupNode::Tool(Box::new(tool)));
        self
    }

    /// Lists here a tool that another group or the top level declares. It remains one tool, and may
    /// be added to the registry later.
    #[must_use]
    pub fn member(mut self, tool: impl Into<Cow<'static, str>>) -> Self {
        self.nodes.push(GroupNode::Member(tool.into()));
        self
    }

    /// Puts a prompt of the server into the group, by its name. A client of the Groups extension
    /// then gets the prompt with the group, and not in `prompts/list`. For other clients nothing
    /// changes. A name that no prompt has is ignored.
    #[must_use]
    pub fn prompt(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.prompts.push(name.into());
        self
    }

    /// Puts a resource of the server into the group, by its URI, as [`prompt`](Self::prompt) does
    /// with prompts. Resource templates are in no group.
    #[must_use]
    pub fn resource(mut self, uri: impl Into<Cow<'static, str>>) -> Self {
        self.resources.push(uri.into());
        self
    }

    /// Adds a nested group. Groups nest at most 8 deep.
    #[must_use]
    pub fn group(mut self, group: Group<S>) -> Self {
        self.nodes.push(GroupNode::Group(group));
        self
    }
}

/// A group of a registry: its texts, and its members by name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupView {
    /// The name, unique among the registry's groups and bundles.
    pub name: String,
    /// The name that people read, if the author set one.
    pub title: Option<String>,
    /// The group's contents, in one line.
    pub summary: String,
    /// The instructions to read before using its tools; may be empty.
    pub instructions: String,
    /// The names of its own tools.
    pub tools: Vec<String>,
    /// The names of its prompts.
    pub prompts: Vec<String>,
    /// The URIs of its resources.
    pub resources: Vec<String>,
    /// The nested groups.
    pub groups: Vec<GroupView>,
    /// The author's own files of its skill.
    pub files: Vec<SkillFile>,
    /// Whether the summary names the tools ([`Group::made_summary`]).
    pub(crate) has_made_summary: bool,
}

impl GroupView {
    /// Wraps the top level in a group without a name.
    pub(crate) fn root(tools: Vec<String>, groups: Vec<GroupView>) -> Self {
        let name = String::new();
        let summary = String::new();
        let instructions = String::new();
        let prompts = Vec::new();
        let resources = Vec::new();
        Self {
            name,
            title: None,
            summary,
            instructions,
            tools,
            prompts,
            resources,
            groups,
            files: Vec::new(),
            has_made_summary: false,
        }
    }

    pub(crate) fn rename(&mut self, prefix: &str) {
        self.name = prefixed(prefix, &self.name);
        for tool in &mut self.tools {
            *tool = format!("{prefix}{tool}");
        }
        for group in &mut self.groups {
            group.rename(prefix);
        }
    }

    /// Returns the group with this name: this one or a nested one.
    pub(crate) fn named_mut(&mut self, name: &str) -> Option<&mut GroupView> {
        if self.name == name {
            return Some(self);
        }
        self.groups
            .iter_mut()
            .find_map(|group| group.named_mut(name))
    }

    /// Visits this group and every nested group, the outer ones first.
    pub(crate) fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a GroupView)) {
        visit(self);
        for group in &self.groups {
            group.walk(visit);
        }
    }
}
