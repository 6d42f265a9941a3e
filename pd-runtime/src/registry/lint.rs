//! Lints for registries that break no rule. `tool::lint` defines the lints and documents how each
//! is decided; this module implements them.

mod arguments;
mod correction;
mod exposed_name;
mod internal;
mod providers;
mod skills;
mod summary;
mod texts;
mod words;

use super::{Registry, group::GroupView, tool_spec::ToolSpec};
use crate::tool::lint::Lint;

use std::{collections::HashMap, fmt};

/// A warning of a lint. It fails nothing, unless a test or `check --deny` turns it into an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LintWarning {
    /// The tool that it is about; empty for the server, a group or a bundle.
    pub tool: String,
    /// The tool's source location or file; empty if it is unknown.
    pub origin: String,
    /// The lint that found it.
    pub lint: Lint,
    /// The message: the mistake and its correction.
    pub message: String,
    /// Whether the text is one of another server, so that the correction is for the owner of a
    /// gateway.
    pub(crate) is_relayed: bool,
}

impl fmt::Display for LintWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tool.is_empty() {
            write!(f, "tool `{}`", self.tool)?;
            if !self.origin.is_empty() {
                write!(f, " ({})", self.origin)?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{} [{}]", self.message, self.lint)
    }
}

impl LintWarning {
    /// Creates a warning about the server, a group or a bundle. Its text contains the name.
    pub(crate) fn from_registry(lint: Lint, message: String) -> Self {
        Self {
            tool: String::new(),
            origin: String::new(),
            lint,
            message,
            is_relayed: false,
        }
    }

    /// Creates a warning about a tool.
    fn from_tool(about: &ToolSpec, lint: Lint, message: String) -> Self {
        let tool = about.name.to_string();
        let origin = about.origin.to_string();
        Self {
            tool,
            origin,
            lint,
            message,
            is_relayed: about.is_relayed(),
        }
    }
}

impl<S: 'static> Registry<S> {
    /// Returns the warnings of all lints, in the order of the tools, followed by those about
    /// several texts. [`Lint`] documents how each lint is decided.
    ///
    /// [`Registry::check`] does not fail because of lints. An author who wants that writes:
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// # /// Say hello
    /// # #[pd_tool]
    /// # fn hello() -> String { "hello".into() }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { hello } }
    /// // #[test]
    /// fn a_reviewer_has_nothing_to_remark() {
    ///     assert_eq!(registry().lint(), []);
    /// }
    /// # a_reviewer_has_nothing_to_remark();
    /// ```
    pub fn lint(&self) -> Vec<LintWarning> {
        let groups = groups_by_tool(&self.groups);
        let mut warnings = Vec::new();
        // Shared by all tools, so that each summary is compared with the earlier ones in one
        // lookup.
        let mut summaries = HashMap::new();
        for tool in &self.tools {
            let about = &tool.about;
            // No model reads the texts of a tool for views alone.
            if !about.app_role().is_for_models {
                continue;
            }
            let groups = groups
                .get(about.name.as_ref())
                .map_or(&[][..], Vec::as_slice);
            let mut warn = |lint: Lint, message: String| {
                if !about.allow.contains(&lint) {
                    warnings.push(LintWarning::from_tool(about, lint, message));
                }
            };
            summary::check(about, groups, &mut warn);
            summary::check_repeated(about, &mut summaries, &mut warn);
            arguments::check(about, &mut warn);
            check_usage(about, &mut warn);
            providers::check(about, &mut warn);
        }
        // The lints below compare texts of several tools, so they run once for the whole registry.
        exposed_name::check(self, &mut warnings);
        internal::check(self, &mut warnings);
        skills::check(self, &mut warnings);
        warnings
    }

    /// Silences a lint for the texts outside of tools: the server's instructions, and the texts of
    /// groups and bundles. [`Tool::allow`](crate::Tool::allow) silences it for one tool's texts.
    #[must_use]
    pub fn allow(mut self, lint: Lint) -> Self {
        self.info.allow.push(lint);
        self
    }

    /// Returns whether a group has the tools of a server behind a gateway.
    fn is_relayed_group(&self, name: &str) -> bool {
        self.info
            .listed_groups
            .iter()
            .any(|(listed, _)| listed == name)
    }

    /// Returns whether tools of other servers are among these, or would be.
    #[cfg(feature = "cli")]
    pub(crate) fn has_relayed_tools(&self) -> bool {
        !self.info.listed_groups.is_empty() || self.tools.iter().any(|tool| tool.about.is_relayed())
    }

    /// Returns whether a lint is silenced for the texts outside of tools.
    #[cfg(feature = "cli")]
    pub(crate) fn allows(&self, lint: Lint) -> bool {
        self.info.allow.contains(&lint)
    }
}

fn check_usage(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    let has_usage = !about.usage.examples.is_empty()
        || !about.usage.guidance.is_empty()
        || !about.usage.notes.is_empty();
    if !has_usage && arguments::names(about).next().is_some() {
        let words = "it has neither example nor guidance; add `# Examples` with a `json` fence, or `# Guidance` with bullets";
        warn(Lint::NoUsage, words.to_owned());
    }
}

/// Returns for each tool the names of the groups that contain it, the outer ones included.
fn groups_by_tool(top: &[GroupView]) -> HashMap<&str, Vec<&str>> {
    fn enter<'a>(
        group: &'a GroupView,
        around: &mut Vec<&'a str>,
        groups_of_tool: &mut HashMap<&'a str, Vec<&'a str>>,
    ) {
        around.push(&group.name);
        for tool in &group.tools {
            groups_of_tool
                .entry(tool)
                .or_default()
                .extend(around.iter());
        }
        for inner in &group.groups {
            enter(inner, around, groups_of_tool);
        }
        around.pop();
    }
    let mut groups_of_tool = HashMap::new();
    for group in top {
        enter(group, &mut Vec::new(), &mut groups_of_tool);
    }
    groups_of_tool
}

#[cfg(test)]
mod tests;
