//! The choice among words: all of them are tried at once, and those that harm are dropped until all
//! that remain help.

use super::{
    EvidenceMin, LoggedRequest, TextSuggestions,
    candidates::{self, CandidateWord},
    evidence::Evidence,
    replay::{ReplayedRequest, SearchReplay, Standing, TriedTexts},
};
use crate::{
    registry::tool_spec::ToolSpec,
    search::document::{DocumentField, ToolDocument},
};
use std::{borrow::Cow, collections::BTreeMap};

/// The limit on the number of trials. Each one drops at least one word, and most drop many.
const TRIALS_MAX: usize = 32;

/// The limit on the number of requests that are made from one tool's texts.
const REQUESTS_MAX: usize = 24;

/// The limit on the number of notes that are tried. Each one repeats all searches.
const NOTES_MAX: usize = 20;

pub(super) fn suggest(
    tools: &[&ToolSpec],
    documents: &[ToolDocument<'_>],
    requests: &[LoggedRequest],
    notes: &[(usize, String)],
    min: EvidenceMin,
) -> TextSuggestions {
    let own = own_requests(tools);
    let logged = requests.iter().map(|request| ReplayedRequest {
        text: &request.text,
        tool: request.tool,
    });
    let own = own
        .iter()
        .map(|(tool, text)| ReplayedRequest { text, tool: *tool });
    // The logged requests come first, so `loss` distinguishes them by their places.
    let replayed: Vec<_> = logged.chain(own).collect();
    let replay = SearchReplay::new(documents);
    let before = replay.run(&TriedTexts::new(), &replayed);
    let trial = Trial {
        requests,
        replayed: &replayed,
        before: &before,
    };
    let words = candidates::find(documents, requests, min);
    let found = words.missing.len();
    let missing = trial.choose(words.missing, &replay);
    let (texts, after) = trial.with_notes(&missing, notes, &replay);
    let evidence = Evidence {
        requests,
        before: &before,
        after: &after,
    };
    TextSuggestions {
        dropped: found - missing.len(),
        aliases: missing
            .iter()
            .map(|word| evidence.suggestion(word))
            .collect(),
        hidden_words: evidence.missed_words(&words.hidden),
        harmless_notes: texts,
        before: evidence.counts(&before),
        after: evidence.counts(&after),
    }
}

/// Returns requests in the tool's own words, as its callers might phrase them.
fn requests(tool: &ToolSpec) -> Vec<Cow<'_, str>> {
    // The separators of names, which a request in words lacks.
    let name = tool.name.replace(['_', '-', '.', '/'], " ");
    let examples = tool
        .usage
        .examples
        .iter()
        .map(|example| Cow::Borrowed(example.description.as_ref()));
    let mut requests = vec![
        Cow::Borrowed(tool.summary.as_ref()),
        format!("{name} {}", tool.summary).into(),
        name.into(),
    ];
    requests.extend(
        tool.discovery
            .aliases
            .iter()
            .map(|alias| Cow::Borrowed(alias.as_ref())),
    );
    requests.extend(examples);
    requests.extend(
        tool.discovery
            .found_by
            .iter()
            .map(|request| Cow::Borrowed(request.as_ref())),
    );
    requests.retain(|request| !request.trim().is_empty());
    requests.truncate(REQUESTS_MAX);
    requests
}

/// Returns the requests in the tools' own words, and those that their authors wrote. A suggestion
/// must not take one from its tool.
fn own_requests<'a>(tools: &[&'a ToolSpec]) -> Vec<(usize, Cow<'a, str>)> {
    tools
        .iter()
        .enumerate()
        .flat_map(|(place, tool)| {
            requests(tool)
                .into_iter()
                .map(move |request| (place, request))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn as_aliases(words: &[CandidateWord]) -> TriedTexts {
    let mut texts = TriedTexts::new();
    for word in words {
        texts
            .entry(word.tool)
            .or_default()
            .push((DocumentField::Alias, word.word.clone()));
    }
    texts
}

/// The searches that suggestions are tried on.
struct Trial<'a> {
    requests: &'a [LoggedRequest],
    /// The logged requests, then the tools' own.
    replayed: &'a [ReplayedRequest<'a>],
    /// The answers with the present texts.
    before: &'a [Standing],
}

impl Trial<'_> {
    /// Returns the words that help more than they harm.
    fn choose(
        &self,
        mut words: Vec<CandidateWord>,
        replay: &SearchReplay<'_>,
    ) -> Vec<CandidateWord> {
        for _ in 0..TRIALS_MAX {
            let after = replay.run(&as_aliases(&words), self.replayed);
            let mut balances = self.balances(&words, &after).into_iter();
            let count = words.len();
            // A word without any effect is dropped, too.
            words.retain(|_| balances.next().is_some_and(|balance| balance > 0.0));
            if words.len() == count {
                return words;
            }
        }
        // Words that still harm after so many trials are too entangled to choose from.
        Vec::new()
    }

    /// Returns by how much each word improves the searches for its tool, less what it takes from
    /// others.
    fn balances(&self, words: &[CandidateWord], after: &[Standing]) -> Vec<f32> {
        let mut balances: Vec<f32> = words
            .iter()
            .map(|word| {
                word.requests
                    .iter()
                    .map(|place| self.change(*place, after))
                    .sum::<f32>()
            })
            .collect();
        let mut by_tool: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        words
            .iter()
            .enumerate()
            .for_each(|(place, word)| by_tool.entry(word.tool).or_default().push(place));
        for place in 0..self.replayed.len() {
            let Some(loss) = self.loss(place, after) else {
                continue;
            };
            for word in self.words_at_fault(place, after, words, &by_tool) {
                balances
                    .get_mut(word)
                    .into_iter()
                    .for_each(|balance| *balance += loss);
            }
        }
        balances
    }

    /// Returns how much worse a search became, if it did. The loss of a tool's own request is
    /// infinite.
    fn loss(&self, place: usize, after: &[Standing]) -> Option<f32> {
        if place < self.requests.len() {
            return Some(self.change(place, after)).filter(|change| *change < 0.0);
        }
        let is_first =
            |standings: &[Standing]| standings.get(place).is_some_and(Standing::is_first);
        (is_first(self.before) && !is_first(after)).then_some(f32::NEG_INFINITY)
    }

    /// Returns how much better a logged search became, by the number of its conversations.
    fn change(&self, place: usize, after: &[Standing]) -> f32 {
        let weight = self
            .requests
            .get(place)
            .map_or(0, |request| request.conversations.len());
        let value = |standings: &[Standing]| standings.get(place).map_or(0.0, Standing::value);
        // Conversations and not searches: one conversation may repeat a search many times.
        weight as f32 * (value(after) - value(self.before))
    }

    /// Returns the words of a request that moved other tools before its own.
    fn words_at_fault(
        &self,
        place: usize,
        after: &[Standing],
        words: &[CandidateWord],
        by_tool: &BTreeMap<usize, Vec<usize>>,
    ) -> Vec<usize> {
        let known = (
            self.replayed.get(place),
            self.before.get(place),
            after.get(place),
        );
        let (Some(request), Some(before), Some(after)) = known else {
            return Vec::new();
        };
        let roots = candidates::roots(request.text);
        let intruders = after
            // A tool that was already ahead is not the fault of a new word.
            .ahead
            .iter()
            .filter(|tool| !before.ahead.contains(tool));
        let added = intruders
            .filter_map(|tool| by_tool.get(tool))
            .flatten()
            .copied();
        added
            // A word that the request lacks is not blamed.
            .filter(|word| {
                words
                    .get(*word)
                    .is_some_and(|word| roots.contains(&word.root))
            })
            .collect()
    }

    /// Tries notes one by one, in addition to the words. Returns which of them take no search from
    /// its tool, and the answers with all that is suggested.
    fn with_notes(
        &self,
        words: &[CandidateWord],
        notes: &[(usize, String)],
        replay: &SearchReplay<'_>,
    ) -> (Vec<bool>, Vec<Standing>) {
        let mut texts = as_aliases(words);
        let mut answers = replay.run(&texts, self.replayed);
        let mut harmless = vec![false; notes.len()];
        for ((tool, note), is_harmless) in notes.iter().zip(&mut harmless).take(NOTES_MAX) {
            let mut tried = texts.clone();
            tried
                .entry(*tool)
                .or_default()
                .push((DocumentField::Usage, note.clone()));
            let after = replay.run(&tried, self.replayed);
            if !answers
                .iter()
                .zip(&after)
                .any(|(before, after)| before.is_first() && !after.is_first())
            {
                // A harmless note stays, so that later notes are tried beside it.
                (*is_harmless, texts, answers) = (true, tried, after);
            }
        }
        (harmless, answers)
    }
}
