//! The directory of groups in the finding tool's own description, so that a model knows what there is to find. It costs
//! every conversation its tokens, so it is short: the top level first, and words about a group only while there is room.

use crate::{catalog::tree::Node, disclosure::view::View, text::token_estimate::estimate_tokens};
use std::sync::Arc;

/// The most groups it names; the rest are counted.
const GROUPS_MAX: usize = 12;
/// The most tokens it may cost, by the estimate, beyond the groups' names.
const TOKENS_MAX: usize = 15;
/// The most words about a group.
const WORDS_MAX: usize = 6;
/// The fewest, where not all of them fit: the first one or two say nothing.
const WORDS_MIN: usize = 3;

/// What was made for one set of visible tools.
struct Directory(String);

/// The directory as this caller may see it; empty where there are no groups.
pub(crate) fn of(view: &View<'_>) -> Arc<impl AsRef<str> + use<>> {
    view.sight().kept(|| Directory(written(view)))
}

impl AsRef<str> for Directory {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

fn written(view: &View<'_>) -> String {
    let mut groups: Vec<_> = view.tree().nodes().iter().filter(|group| view.sees_group(group)).collect();
    // Stable: on each level the registry's order.
    groups.sort_by_key(|group| group.path.matches('/').count());
    let (named, rest) = groups.split_at(groups.len().min(GROUPS_MAX));
    let bare = estimate_tokens(&listed(named, 0));
    let mut texts = (WORDS_MIN..=WORDS_MAX).rev().map(|words| listed(named, words));
    let fits = |text: &String| estimate_tokens(text) <= bare + TOKENS_MAX;
    let mut text = texts.find(fits).unwrap_or_else(|| listed(named, 0));
    if !rest.is_empty() {
        text.push_str(&format!(", {} more", rest.len()));
    }
    text
}

fn listed(groups: &[&Node], words: usize) -> String {
    groups.iter().map(|group| entry(group, words)).collect::<Vec<_>>().join(", ")
}

/// `history (commits, authors)`
fn entry(group: &Node, words: usize) -> String {
    let name = group.path.trim_start_matches('/');
    let about: Vec<&str> = group.summary.split_whitespace().take(words).collect();
    match about.join(" ").trim_end_matches([',', ':', ';', '.', '(']) {
        "" => name.to_owned(),
        about => format!("{name} ({about})"),
    }
}
