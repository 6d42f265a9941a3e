//! What a reviewer would remark about a registry that breaks no rule. The lints and how each decides are in `crate::lint`.

mod arguments;
mod skills;
mod summary;
mod words;

use super::{Registry, about::About, group::Branch};
use crate::lint::Lint;
use std::{collections::HashMap, fmt};

/// A matter of taste: it fails nothing unless a test or `check --deny` says so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The tool it is about; empty for a group or bundle, which the words name.
    pub tool: String,
    /// Where that was declared, where it is known.
    pub origin: String,
    /// Which lint found it.
    pub lint: Lint,
    /// What to mend, and what to type.
    pub words: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tool.is_empty() {
            write!(f, "tool `{}`", self.tool)?;
        }
        if !self.origin.is_empty() {
            write!(f, " ({})", self.origin)?;
        }
        let separator = if self.tool.is_empty() { "" } else { ": " };
        write!(f, "{separator}{} [{}]", self.words, self.lint)
    }
}

impl<S: 'static> Registry<S> {
    /// What an experienced reviewer would remark, in the tools' order; [`Lint`] says how each is decided.
    ///
    /// [`Registry::check`] does not fail for any of it. An author who wants that writes:
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// # /// Say hello
    /// # #[pd_tool]
    /// # fn hello() -> String { "hello".into() }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { hello } }
    /// // #[test]
    /// fn a_reviewer_has_nothing_to_remark() {
    ///     assert_eq!(registry().taste(), []);
    /// }
    /// # a_reviewer_has_nothing_to_remark();
    /// ```
    pub fn taste(&self) -> Vec<Remark> {
        let groups = groups_by_tool(&self.groups);
        let mut remarks = Vec::new();
        let mut summaries = HashMap::new();
        for tool in &self.tools {
            let about = &tool.about;
            let groups = groups.get(about.name.as_ref()).map_or(&[][..], Vec::as_slice);
            let mut remark = |lint: Lint, words: String| {
                if !about.allow.contains(&lint) {
                    remarks.push(Remark {
                        tool: about.name.to_string(),
                        origin: about.origin.to_string(),
                        lint,
                        words,
                    });
                }
            };
            summary::judge(about, groups, &mut remark);
            summary::judge_beside(about, &mut summaries, &mut remark);
            arguments::judge(about, &mut remark);
            judge_usage(about, &mut remark);
        }
        skills::judge(self, &mut |words| {
            let (tool, origin) = (String::new(), String::new());
            remarks.push(Remark { tool, origin, lint: Lint::LongSkill, words });
        });
        remarks
    }
}

fn judge_usage(about: &About, remark: &mut impl FnMut(Lint, String)) {
    let is_told = !about.examples.is_empty() || !about.guidance.is_empty() || !about.notes.is_empty();
    if !is_told && arguments::names(about).next().is_some() {
        let words =
            "it has neither example nor guidance; add `# Examples` with a `json` fence, or `# Guidance` with bullets";
        remark(Lint::NoUsage, words.to_owned());
    }
}

/// The names of the groups that each tool stands in, with those around them.
fn groups_by_tool(top: &[Branch]) -> HashMap<&str, Vec<&str>> {
    fn enter<'a>(group: &'a Branch, around: &mut Vec<&'a str>, found: &mut HashMap<&'a str, Vec<&'a str>>) {
        around.push(&group.name);
        for tool in &group.tools {
            found.entry(tool).or_default().extend(around.iter());
        }
        for inner in &group.groups {
            enter(inner, around, found);
        }
        around.pop();
    }
    let mut found = HashMap::new();
    for group in top {
        enter(group, &mut Vec::new(), &mut found);
    }
    found
}

#[cfg(test)]
mod tests;
