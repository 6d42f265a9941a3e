//! The evidence for a suggestion: how often a word occurred, and the ranks of the called tool.

use super::{
    LoggedRequest, RankChange, RankCounts, WordSuggestion, candidates::CandidateWord,
    replay::Standing,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The number of first hits that `find_tools` shows.
const SHOWN: usize = 5;

/// The limit on the number of words for one summary.
const MISSED_WORDS_MAX: usize = 3;

/// The logged searches with their answers.
pub(super) struct Evidence<'a> {
    pub(super) requests: &'a [LoggedRequest],
    pub(super) before: &'a [Standing],
    pub(super) after: &'a [Standing],
}

impl Evidence<'_> {
    pub(super) fn suggestion(&self, word: &CandidateWord) -> WordSuggestion {
        let logged = |place: usize, _: usize| {
            self.requests
                .get(place)
                .map(|request| request.ranks.clone())
        };
        let in_answers = |standings: &[Standing], place: usize, searches: usize| {
            // A tool that is not found counts in the median, behind all ranks.
            let rank = standings.get(place)?.rank.unwrap_or(usize::MAX);
            Some(BTreeMap::from([(rank, searches)]))
        };
        WordSuggestion {
            tool: word.tool,
            word: word.word.clone(),
            searches: word.searches,
            conversations: word.conversations,
            callers: word.callers,
            ranks: RankChange {
                logged: self.median(word, logged),
                before: self.median(word, |place, searches| {
                    in_answers(self.before, place, searches)
                }),
                after: self.median(word, |place, searches| {
                    in_answers(self.after, place, searches)
                }),
            },
        }
    }

    /// Returns the words that most conversations with a tool had in common, of the tools that are
    /// not found first by them.
    pub(super) fn missed_words(&self, words: &[CandidateWord]) -> Vec<WordSuggestion> {
        let mut conversations: HashMap<usize, HashSet<u64>> = HashMap::new();
        for request in self.requests {
            conversations
                .entry(request.tool)
                .or_default()
                .extend(&request.conversations);
        }
        let words = words
            .iter()
            .filter(|word| {
                conversations
                    .get(&word.tool)
                    .is_some_and(|all| word.conversations * 2 >= all.len())
            })
            .map(|word| self.suggestion(word));
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut is_free = |tool| {
            let count = counts.entry(tool).or_default();
            *count += 1;
            *count <= MISSED_WORDS_MAX
        };
        words
            // `is_free` counts its calls, so it must come second.
            .filter(|word| word.ranks.before != Some(1) && is_free(word.tool))
            .collect()
    }

    /// Returns the median of the ranks, of which each request has some.
    fn median(
        &self,
        word: &CandidateWord,
        ranks_of: impl Fn(usize, usize) -> Option<BTreeMap<usize, usize>>,
    ) -> Option<usize> {
        let mut ranks: BTreeMap<usize, usize> = BTreeMap::new();
        for place in &word.requests {
            let searches = self
                .requests
                .get(*place)
                .map_or(0, |request| request.searches);
            for (rank, count) in ranks_of(*place, searches).into_iter().flatten() {
                *ranks.entry(rank).or_default() += count;
            }
        }
        // The lower of the two middle ranks, if their number is even.
        let half = ranks.values().sum::<usize>().div_ceil(2);
        let mut seen = 0;
        let middle = ranks.into_iter().find(|(_, count)| {
            seen += count;
            seen >= half
        });
        middle
            .map(|(rank, _)| rank)
            // The median is a rank that does not exist if most searches did not find the tool.
            .filter(|rank| *rank != usize::MAX)
    }

    /// Counts the searches that these answers rank first, and among the first five.
    pub(super) fn counts(&self, standings: &[Standing]) -> RankCounts {
        let mut counts = RankCounts::default();
        for (request, standing) in self.requests.iter().zip(standings) {
            counts.searches += request.searches;
            counts.first += if standing.is_first() {
                request.searches
            } else {
                0
            };
            let is_shown = standing.rank.is_some_and(|rank| rank <= SHOWN);
            counts.first_five += if is_shown { request.searches } else { 0 };
        }
        counts
    }
}
