//! Bundles list the tools that one task needs. A group defines where a tool belongs; a bundle
//! refers to tools in any group.

use super::skill_file::SkillFile;

/// A named list of a registry's tools for one task, with instructions.
///
/// A bundle owns no tool. Each tool belongs to the top level or to groups, and may serve several
/// tasks.
///
/// ```
/// use pd_runtime::Bundle;
///
/// let bundle = Bundle::new("who-broke-it", "Find who broke a line")
///     .instructions("Blame the line, then show the commit that it names.")
///     .tools(["blame", "show"]);
/// assert_eq!(bundle.tools, ["blame", "show"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bundle {
    /// The name, unique among the registry's groups and bundles.
    pub name: String,
    /// The task, in one line.
    pub summary: String,
    /// Instructions for doing the task with these tools; may be empty.
    pub instructions: String,
    /// The names of the tools, in the order in which the task uses them.
    pub tools: Vec<String>,
    /// The author's own files of its skill.
    pub files: Vec<SkillFile>,
}

impl Bundle {
    /// Creates a bundle called `name`, `[a-z0-9-]{1,64}`. The summary describes the task.
    pub fn new(name: impl Into<String>, summary: impl Into<String>) -> Self {
        let name = name.into();
        let summary = summary.into();
        let instructions = String::new();
        Self {
            name,
            summary,
            instructions,
            tools: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Sets the instructions for doing the task with these tools.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Adds a file of your own to the bundle's skill: a script, a reference, a template; see
    /// [`SkillFile`].
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

    /// Adds a tool of the registry by name.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tools.push(name.into());
        self
    }

    /// Adds several tools of the registry by name.
    #[must_use]
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools.extend(names.into_iter().map(Into::into));
        self
    }

    pub(crate) fn rename(&mut self, prefix: &str) {
        self.name = prefixed(prefix, &self.name);
        self.tools
            .iter_mut()
            .for_each(|tool| *tool = format!("{prefix}{tool}"));
    }
}

/// Prefixes the name of a group or bundle. A prefix for tools may contain `_` and capitals, which
/// these names must not.
pub(crate) fn prefixed(prefix: &str, name: &str) -> String {
    format!("{}{name}", prefix.replace('_', "-").to_lowercase())
}
