//! Suggestions from use: words by which callers searched before they called a tool, and which the
//! tool lacks. The logged searches are repeated with the suggestions, and those that harm more
//! searches than they help are dropped.

mod candidates;
mod evidence;
mod replay;
mod selection;
#[cfg(test)]
mod tests;

use super::document::{DocumentField, ToolDocument};
use crate::registry::Registry;
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

/// A search, and the tool that its caller called next.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoggedRequest {
    pub(crate) text: String,
    /// The tool, as an index into the registry.
    pub(crate) tool: usize,
    /// How often the search occurred.
    pub(crate) searches: usize,
    /// The ranks that the tool had, with their numbers of searches; `usize::MAX` where it was not
    /// found.
    pub(crate) ranks: BTreeMap<usize, usize>,
    /// Keys of the conversations in which it occurred.
    pub(crate) conversations: HashSet<u64>,
    /// Keys of its callers, as far as the log knows them.
    pub(crate) callers: HashSet<u64>,
}

/// The least evidence for a suggestion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceMin {
    pub(crate) conversations: usize,
    pub(crate) callers: usize,
}

/// A word of searches for a tool, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WordSuggestion {
    /// The tool, as an index into the registry.
    pub(crate) tool: usize,
    pub(crate) word: String,
    pub(crate) searches: usize,
    pub(crate) conversations: usize,
    pub(crate) callers: usize,
    pub(crate) ranks: RankChange,
}

/// The median ranks of the called tool; `None` if it was not found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RankChange {
    /// In the log.
    pub(crate) logged: Option<usize>,
    /// With the tools' present texts.
    pub(crate) before: Option<usize>,
    /// With all suggestions.
    pub(crate) after: Option<usize>,
}

/// How many searches rank the tool that was called among the first hits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct RankCounts {
    pub(crate) searches: usize,
    pub(crate) first: usize,
    pub(crate) first_five: usize,
}

/// The suggestions, and their effect on the logged searches.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TextSuggestions {
    /// Words that their tools lack, by tool, the strongest evidence first.
    pub(crate) aliases: Vec<WordSuggestion>,
    /// Words of most searches for a tool that is not found first. The tool has them, but not in its
    /// name, title, summary and aliases.
    pub(crate) hidden_words: Vec<WordSuggestion>,
    /// Whether each of the notes takes no search from its tool.
    pub(crate) harmless_notes: Vec<bool>,
    pub(crate) before: RankCounts,
    pub(crate) after: RankCounts,
    /// The number of words with enough evidence that harm searches at least as much as they help.
    pub(crate) dropped: usize,
}

/// A text that is tried in one field of a tool.
pub(crate) type AddedText = (DocumentField, String);

impl<S: 'static> Registry<S> {
    /// Suggests aliases for tools from logged searches, and tries notes, each with the index of its
    /// tool.
    pub(crate) fn suggest_texts(
        &self,
        requests: &[LoggedRequest],
        notes: &[(usize, String)],
        min: EvidenceMin,
    ) -> TextSuggestions {
        let abouts = self.abouts();
        selection::suggest(&abouts, &self.documents(&abouts), requests, notes, min)
    }
}

impl ToolDocument<'_> {
    /// Returns the document with further texts.
    fn with_texts(&self, texts: &[AddedText]) -> Self {
        let mut document = self.clone();
        document.texts.extend(
            texts
                .iter()
                .map(|(field, text)| (*field, Cow::Owned(text.clone()))),
        );
        document
    }
}
