//! Tools and groups in lines, as a model reads them: JSON around each would cost as much as what it says.

use crate::{
    catalog::{entry::Entry, tree::Node},
    disclosure::view::{Shown, View},
};

/// How many groups stand for all.
const GROUPS_MAX: usize = 20;
/// How many tools stand for all where nothing sorts them.
const TOOLS_MAX: usize = 12;

/// `log — List commits, newest first  /history`
pub(super) fn tool_in_group(entry: &Entry, view: &View<'_>) -> String {
    format!("{} — {}", entry.name(), summary_in_group(entry, view))
}

/// `List commits, newest first  /history`
pub(super) fn summary_in_group(entry: &Entry, view: &View<'_>) -> String {
    let summary = summary(entry);
    match view.groups_of(entry).next() {
        Some(group) => format!("{summary}  {}", group.path),
        None => summary.to_owned(),
    }
}

/// `log — List commits, newest first`
pub(super) fn tool(entry: &Entry) -> String {
    format!("{} — {}", entry.name(), summary(entry))
}

/// A summary that keeps to its line, as every checked one does.
fn summary(entry: &Entry) -> &str {
    entry.tool.about.summary.trim().lines().next().unwrap_or_default()
}

/// `/history (4) — Read history: commits, authors, blame`
pub(super) fn group(group: &Node, view: &View<'_>) -> String {
    let count = view.count(group);
    match group.summary.trim() {
        "" => format!("{} ({count})", group.path),
        summary => format!("{} ({count}) — {summary}", group.path),
    }
}

/// The top level's groups, behind those of its tools that the caller's list leaves out; the first tools where there are no
/// groups.
pub(super) fn overview(view: &View<'_>) -> String {
    let groups = view.groups_in(None);
    if groups.is_empty() {
        return view.visible().take(TOOLS_MAX).map(|entry| tool(entry)).collect::<Vec<_>>().join("\n");
    }
    let unlisted = view.visible().filter(|entry| entry.is_top && view.shown(entry) == Shown::Unlisted);
    let lines = groups.iter().take(GROUPS_MAX).map(|one| group(one, view));
    let rest = groups.len().saturating_sub(GROUPS_MAX);
    let rest = (rest > 0).then(|| format!("{rest} more groups"));
    unlisted.take(TOOLS_MAX).map(|entry| tool(entry)).chain(lines).chain(rest).collect::<Vec<_>>().join("\n")
}
