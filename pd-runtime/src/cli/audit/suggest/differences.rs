//! Pairs of tools that callers confused: they read the description of one, and then called the
//! other.

use super::choices::{CallerChoices, PassedOver};
use crate::{
    registry::tool_spec::ToolSpec,
    search::suggestion::EvidenceMin,
    text::{escape, truncate::first_bytes},
};
use std::cmp::Reverse;

/// The limit on the number of pairs with the same opened tool.
const PAIRS_OF_TOOL_MAX: usize = 3;

/// The limit on the number of all pairs.
const PAIRS_MAX: usize = 100;

/// The limit on a summary in a note, in bytes.
const SUMMARY_BYTES: usize = 240;

/// A tool that callers opened before they called another one.
#[derive(Debug)]
pub(super) struct ToolDifference {
    /// The tools, as indexes into the registry.
    pub(super) opened: usize,
    pub(super) called: usize,
    pub(super) passed: PassedOver,
    /// Whether the opened tool does not name the other one as related.
    pub(super) is_unrelated: bool,
    /// A line that names the difference in the author's words. `None` if the opened tool names the
    /// other one already, or if its callers may not know the other one.
    pub(super) note: Option<String>,
}

impl ToolDifference {
    /// Returns the note with the index of its tool.
    pub(super) fn note(&self) -> Option<(usize, String)> {
        Some((self.opened, self.note.clone()?))
    }
}

/// Returns the pairs with enough evidence for which something can be suggested, the most frequent
/// first.
pub(super) fn find(
    choices: &CallerChoices,
    tools: &[&ToolSpec],
    min: EvidenceMin,
) -> Vec<ToolDifference> {
    let has_evidence = |passed: &PassedOver| {
        passed.conversations.len() >= min.conversations && passed.callers.len() >= min.callers
    };
    let pairs = choices.pairs().filter(|(_, passed)| has_evidence(passed));
    let mut found: Vec<ToolDifference> = pairs
        .filter_map(|(pair, passed)| compare(pair, passed, tools))
        .collect();
    found.sort_by_key(|pair| {
        (
            Reverse(pair.passed.conversations.len()),
            pair.opened,
            pair.called,
        )
    });
    // After the sort, so that each tool keeps its most frequent pairs.
    let mut counts = vec![0; tools.len()];
    found.retain(|pair| {
        let Some(count) = counts.get_mut(pair.opened) else {
            return false;
        };
        *count += 1;
        *count <= PAIRS_OF_TOOL_MAX
    });
    found.truncate(PAIRS_MAX);
    found
}

fn compare(
    (opened, called): (usize, usize),
    passed: &PassedOver,
    tools: &[&ToolSpec],
) -> Option<ToolDifference> {
    let own = tools.get(opened)?;
    let other = tools.get(called)?;
    let is_unrelated = !own.discovery.related.contains(&other.name);
    let note = (!mentions(own, &other.name) && sees(own, other)).then(|| render_note(other));
    (is_unrelated || note.is_some()).then(|| ToolDifference {
        opened,
        called,
        passed: passed.clone(),
        is_unrelated,
        note,
    })
}

/// Returns whether a tool's texts name another tool.
fn mentions(tool: &ToolSpec, name: &str) -> bool {
    let texts = [&tool.summary, &tool.description]
        .into_iter()
        .chain(&tool.usage.guidance)
        .chain(&tool.usage.notes);
    // A name may end a sentence. That dot is not part of the name.
    texts.into_iter().any(|text| {
        text.split(|letter| !is_part(letter))
            .any(|word| word.trim_matches('.') == name)
    })
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

/// Returns whether all callers of a tool may see the other one. The server hides related tools from
/// callers without their scopes, but not a text.
fn sees(tool: &ToolSpec, other: &ToolSpec) -> bool {
    other
        .rules
        .scopes
        .iter()
        .all(|scope| tool.rules.scopes.contains(scope))
}

/// Names the difference in the words of the other tool's author.
fn render_note(other: &ToolSpec) -> String {
    // The text of one author goes into the tool of another, so nothing in it may be hidden.
    let summary = escape::visible(first_bytes(other.summary.trim(), SUMMARY_BYTES));
    format!("Not the same as `{}`: {summary}", other.name)
}
