//! The index of groups in the description of the finding tool, by which a model knows what it can
//! find. Every conversation pays its tokens, so it is short: the top level first, and words about a
//! group only while they fit.

use crate::{
    catalog::{Catalog, tree::TreeNode},
    disclosure::view::CallerView,
    policy::ListingStep,
    registry::tool_source::GroupLine,
    text::{fit_lines::fit_lines, token_estimate::estimate_tokens},
};
use std::{collections::HashSet, sync::Arc};

/// The most characters of the index if each group has a line. Clients cut descriptions at 2,048
/// characters, and the sentence before the index is part of them.
const LINES_MAX: usize = 2_000;

/// The most groups that it names; the rest are counted.
const GROUPS_MAX: usize = 12;
/// The most tokens that it may cost beyond the groups' names, by the estimate.
const TOKENS_MAX: usize = 15;
/// The most words about a group.
const WORDS_MAX: usize = 6;
/// The fewest words about a group: the first one or two carry no meaning.
const WORDS_MIN: usize = 3;

/// The index for one set of visible tools.
struct GroupIndex(String);

/// Returns the index as this caller may see it; empty if it sees no groups.
pub(crate) fn for_caller(view: &CallerView<'_>) -> Arc<impl AsRef<str> + use<>> {
    view.sight().cached(|| GroupIndex(render(view)))
}

impl AsRef<str> for GroupIndex {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

fn render(view: &CallerView<'_>) -> String {
    let mut groups: Vec<_> = view
        .tree()
        .nodes()
        .iter()
        .filter(|group| is_indexed(group) && view.sees_group(group))
        .collect();
    // The sort is stable, so groups on one level keep the registry's order.
    groups.sort_by_key(|group| group.path.matches('/').count());
    if view.policy.group_lines {
        let lines = lines(&groups, view);
        if !lines.is_empty() {
            return fit_lines(&lines, LINES_MAX);
        }
    }
    let (named, rest) = groups.split_at(groups.len().min(GROUPS_MAX));
    let bare = estimate_tokens(&render_groups(named, 0, view));
    // All groups get the same number of words, the largest that fits the budget.
    let mut texts = (WORDS_MIN..=WORDS_MAX)
        .rev()
        .map(|words| render_groups(named, words, view));
    let mut text = texts
        .find(|text| estimate_tokens(text) <= bare + TOKENS_MAX)
        .unwrap_or_else(|| render_groups(named, 0, view));
    if !rest.is_empty() {
        text.push_str(&format!(", {} more", rest.len()));
    }
    text
}

/// Returns a line for each group, and for the groups of tools that are still read.
fn lines<'a>(groups: &[&'a TreeNode], view: &CallerView<'a>) -> Vec<(String, String)> {
    let known = groups.iter().map(|group| {
        let path = group.path.trim_start_matches('/').to_owned();
        (path, view.summary_of(group).into_owned())
    });
    let mut lines: Vec<_> = known.collect();
    let known: HashSet<String> = lines.iter().map(|(path, _)| path.clone()).collect();
    // For a moment, tools are known and still count as missing. Their groups have one line.
    let missing = view.missing().into_iter().flat_map(|set| set.lines);
    let missing = missing.filter(|line| !known.contains(&line.path));
    lines.extend(missing.map(|line| (line.path, line.summary)));
    // Stable, so groups on one level keep the registry's order.
    lines.sort_by_key(|(path, _)| path.matches('/').count());
    lines
}

/// Returns the lines of the index that a caller gets who sees everything. Returns `None` if a
/// grouped list has tools, too.
pub(crate) fn whole_lines(catalog: &Catalog) -> Option<Vec<GroupLine>> {
    let mut entries = catalog.entries.iter();
    if entries.any(|entry| entry.stays_listed(ListingStep::Grouped)) {
        return None;
    }
    let groups = catalog.tree.nodes().iter();
    let lines = groups.filter(|group| is_indexed(group) && !group.all_tools.is_empty());
    let has = |group: &TreeNode, is_read_only| {
        let mut tools = group.all_tools.iter();
        tools.any(|place| {
            let entry = catalog.entries.get(*place);
            entry.is_some_and(|entry| entry.is_read_only() == is_read_only)
        })
    };
    let lines = lines.map(|group| GroupLine {
        path: group.path.trim_start_matches('/').to_owned(),
        summary: group.whole_summary().to_owned(),
        reads: has(group, true),
        writes: has(group, false),
    });
    Some(lines.collect())
}

/// Whether the index has the group. Groups that were made of a server's tools would cost more than
/// they tell here.
fn is_indexed(group: &TreeNode) -> bool {
    group.parent.is_none() || !group.has_made_summary
}

fn render_groups<'a>(groups: &[&'a TreeNode], words: usize, view: &CallerView<'a>) -> String {
    groups
        .iter()
        .map(|group| render_group(group, words, view))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Renders a group: `history (commits, authors)`.
fn render_group<'a>(group: &'a TreeNode, words: usize, view: &CallerView<'a>) -> String {
    let name = group.path.trim_start_matches('/');
    let summary = view.summary_of(group);
    let about: Vec<&str> = summary.split_whitespace().take(words).collect();
    // A summary cut after a word may end in punctuation.
    match about.join(" ").trim_end_matches([',', ':', ';', '.', '(']) {
        "" => name.to_owned(),
        about => format!("{name} ({about})"),
    }
}
