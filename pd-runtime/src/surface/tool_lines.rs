//! Renders tools and groups as lines for a model: JSON around each would cost as many tokens as its
//! contents.

use super::missing;
use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::{listed_form::ListedForm, view::CallerView},
};

/// The most groups in an overview.
const GROUPS_MAX: usize = 20;
/// The most tools in an overview.
const TOOLS_MAX: usize = 12;

/// Renders `log — List commits, newest first  /history`.
pub(super) fn tool_in_group(entry: &CatalogEntry, view: &CallerView<'_>) -> String {
    format!("{} — {}", entry.name(), summary_in_group(entry, view))
}

/// Renders `List commits, newest first  /history`.
pub(super) fn summary_in_group(entry: &CatalogEntry, view: &CallerView<'_>) -> String {
    let summary = summary(entry);
    match view.groups_of(entry).next() {
        Some(group) => format!("{summary}  {}", group.path),
        None => summary.to_owned(),
    }
}

/// Renders `log — List commits, newest first`.
pub(super) fn tool(entry: &CatalogEntry) -> String {
    format!("{} — {}", entry.name(), summary(entry))
}

/// Returns a summary's first line. Every checked summary has only one.
pub(super) fn summary(entry: &CatalogEntry) -> &str {
    entry
        .tool
        .about
        .summary
        .trim()
        .lines()
        .next()
        .unwrap_or_default()
}

/// Renders `/history (4) — Read history: commits, authors, blame`.
pub(super) fn group<'a>(group: &'a TreeNode, view: &CallerView<'a>) -> String {
    let count = view.count(group);
    match view.summary_of(group).trim() {
        "" => format!("{} ({count})", group.path),
        summary => format!("{} ({count}) — {summary}", group.path),
    }
}

/// Renders the top level: its tools that the caller's list leaves out, then its groups; the first
/// tools if the caller sees no groups. Tools that are not known yet follow.
pub(super) fn overview(view: &CallerView<'_>) -> String {
    let groups = view.groups_in(None);
    if groups.is_empty() {
        // Without groups nothing sorts the tools, so a longer list would not help to choose.
        let tools = view.visible().take(TOOLS_MAX).map(|entry| tool(entry));
        return tools
            .chain(missing::sentences(view))
            .collect::<Vec<_>>()
            .join("\n");
    }
    let unlisted = view
        .visible()
        .filter(|entry| entry.is_top && view.listed_form(entry) == ListedForm::Unlisted);
    let lines = groups.iter().take(GROUPS_MAX).map(|one| group(one, view));
    let rest = groups.len().saturating_sub(GROUPS_MAX);
    let rest = (rest > 0).then(|| format!("{rest} more groups"));
    unlisted
        .take(TOOLS_MAX)
        .map(|entry| tool(entry))
        .chain(lines)
        .chain(rest)
        .chain(missing::sentences(view))
        .collect::<Vec<_>>()
        .join("\n")
}
