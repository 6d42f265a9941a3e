//! The logged searches, repeated with changed texts.

use super::AddedText;
use crate::{
    parallel,
    search::{best_hits::best, document::ToolDocument, query::SearchQuery, searcher::ToolSearcher},
};
use std::collections::BTreeMap;

/// The part of an answer's value that depends on how clearly the tool comes before the others. A
/// word that makes the first hit clearer also helps requests that nobody has written yet.
const CLARITY: f32 = 0.25;

/// The number of tools before the right one that are remembered.
const AHEAD_MAX: usize = 5;

/// A request, and the tool that it should find.
#[derive(Debug)]
pub(super) struct ReplayedRequest<'a> {
    pub(super) text: &'a str,
    pub(super) tool: usize,
}

/// The place of a tool in the answer to a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Standing {
    /// The rank, from 1; `None` if the tool is not found.
    pub(super) rank: Option<usize>,
    /// The score of the tool, as a share of its sum with the best other score.
    clarity: f32,
    /// The first tools before it, best first.
    pub(super) ahead: Vec<usize>,
}

impl Standing {
    /// Returns the value of the answer to a caller, from 0 to 1.25.
    pub(super) fn value(&self) -> f32 {
        self.rank.map_or(0.0, |rank| 1.0 / rank as f32) + CLARITY * self.clarity
    }

    pub(super) fn is_first(&self) -> bool {
        self.rank == Some(1)
    }
}

/// Texts that are tried, by tool.
pub(super) type TriedTexts = BTreeMap<usize, Vec<AddedText>>;

/// The searches over the present texts, to which others can be added.
#[derive(Debug)]
pub(super) struct SearchReplay<'a> {
    documents: &'a [ToolDocument<'a>],
    present: ToolSearcher,
}

impl<'a> SearchReplay<'a> {
    pub(super) fn new(documents: &'a [ToolDocument<'a>]) -> Self {
        Self {
            documents,
            present: ToolSearcher::new(documents),
        }
    }

    /// Searches for each request with these texts added.
    pub(super) fn run(
        &self,
        added: &TriedTexts,
        requests: &[ReplayedRequest<'_>],
    ) -> Vec<Standing> {
        let changed = added.iter().filter_map(|(tool, texts)| {
            Some((*tool, self.documents.get(*tool)?.with_texts(texts)))
        });
        let changed: Vec<_> = changed.collect();
        let updated =
            (!changed.is_empty()).then(|| self.present.update(self.documents.len(), &changed));
        let searcher = updated.as_ref().unwrap_or(&self.present);
        parallel::map_items(requests, |request| standing(searcher, request))
    }
}

fn standing(searcher: &ToolSearcher, request: &ReplayedRequest<'_>) -> Standing {
    let index = searcher.word_index();
    let view = searcher.all_visible();
    let scores = index
        .scores(&SearchQuery::new(request.text, index, view), view)
        .by_document;
    let own = scores.get(request.tool).copied().unwrap_or_default();
    // Equal scores are ordered as `best` orders them.
    let ahead =
        |(place, score): (usize, f32)| score > own || (score == own && place < request.tool);
    let others = || {
        scores
            .iter()
            .copied()
            .enumerate()
            .filter(|(place, _)| *place != request.tool)
    };
    let next = others().map(|(_, score)| score).fold(0.0, f32::max);
    // Counted without a sort, because only one rank matters.
    let rank = (own > 0.0).then(|| others().filter(|other| ahead(*other)).count() + 1);
    let first = best(&scores, AHEAD_MAX)
        .into_iter()
        .filter(|hit| hit.0 != request.tool && ahead(*hit));
    let clarity = if own > 0.0 { own / (own + next) } else { 0.0 };
    Standing {
        rank,
        clarity,
        ahead: first.map(|(place, _)| place).collect(),
    }
}
