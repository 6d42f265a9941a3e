//! Pairs of tools that search confuses: the texts that describe one tool also find the other.

#[cfg(test)]
mod tests;

use super::{
    english,
    index::WordIndex,
    query::beginning,
    searcher::ToolSearcher,
    stem,
    tokenize::{self, WordKind},
};
use crate::registry::tool_spec::ToolSpec;
use serde::Serialize;
use std::{borrow::Cow, collections::HashMap};

/// The share of a tool's own score from which another tool counts as near, as the mean of both
/// directions, by names and summaries. Among many tools, the limit on the number of tools in a pair
/// is reached before.
const NEAR: f32 = 0.5;

/// The same share for an example or a request that should find a tool. One direction is enough,
/// because callers do ask this. It is higher, because such a request says more than a name. The
/// difference was chosen on requests with a known answer (Azure's MCP server, 940 requests), of
/// which the example `retrieval --confusable` counts how many wrong first hits the pairs explain.
const NEAR_BY_REQUEST: f32 = 0.65;

/// The limit on the number of pairs with the same tool.
const PAIRS_OF_TOOL_MAX: usize = 3;

/// The limit on the share of the tools that are in a pair. A list that names most tools says
/// nothing about any of them.
const TOOLS_SHARE_MAX: f32 = 0.35;

/// The number of tools that may be in a pair however few tools there are.
const TOOLS_ALWAYS: usize = 10;

/// The number of hits that are compared for each request.
const HITS: usize = 32;

/// The limit on the number of requests that are made from one tool's texts.
const REQUESTS_MAX: usize = 24;

/// The limit on the number of shared words that a pair names.
const WORDS_MAX: usize = 8;

/// The weight of words that only frame a request.
const FRAME_WEIGHT: f32 = 0.1;

/// Two tools that search confuses.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConfusablePair {
    /// The tool that a request describes.
    pub tool: String,
    /// The tool that the same request also finds.
    pub other: String,
    /// The request: the text of an example of `tool`, a request that should find it, its summary,
    /// or else the words of its name, or an alias.
    pub request: String,
    /// The score of `other` for the request, relative to that of `tool`. From 1 on, `other` is
    /// found first.
    pub nearness: f32,
    /// Words of the request that both tools have, the rarest first.
    pub words: Vec<String>,
}

/// Returns the pairs among these tools, the nearest first. `searcher` has an index over the same
/// tools in the same order. Each tool is in at most three pairs, and at most 35 % of the tools are
/// in one.
pub(crate) fn pairs(searcher: &ToolSearcher, tools: &[&ToolSpec]) -> Vec<ConfusablePair> {
    let found = others_found(searcher, tools);
    let mut pairs: Vec<PlacedPair> = found
        .iter()
        .filter_map(|((tool, other), by)| PlacedPair::new((*tool, *other), by, &found))
        .collect();
    // A hash map has no order, so equal pairs are sorted by their tools.
    pairs.sort_by(|one, next| {
        next.closeness
            .total_cmp(&one.closeness)
            .then(next.shown.nearness.total_cmp(&one.shown.nearness))
            .then((one.tool, one.other).cmp(&(next.tool, next.other)))
    });
    let mut limits = PairLimits::new(tools.len());
    pairs.retain(|pair| limits.admit([pair.tool, pair.other]));
    let about = |place: usize| tools.get(place);
    let name = |place: usize| about(place).map_or_else(String::new, |tool| tool.name.to_string());
    pairs
        .into_iter()
        .map(|pair| {
            let request = about(pair.tool)
                .and_then(|tool| phrasings(tool).into_iter().nth(pair.shown.phrasing))
                .map(|phrasing| phrasing.text.into_owned())
                .unwrap_or_default();
            ConfusablePair {
                tool: name(pair.tool),
                other: name(pair.other),
                words: searcher.words_of_both(&request, [pair.tool, pair.other]),
                request,
                nearness: pair.shown.nearness,
            }
        })
        .collect()
}

/// A request in a tool's words.
struct Phrasing<'a> {
    text: Cow<'a, str>,
    source: PhrasingSource,
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
enum PhrasingSource {
    /// The words of the name, or an alias.
    Name,
    Summary,
    /// An example, or a request that should find the tool.
    Request,
}

fn phrasings(tool: &ToolSpec) -> Vec<Phrasing<'_>> {
    let words = Phrasing {
        text: name_words(tool).into(),
        source: PhrasingSource::Name,
    };
    let summary = Phrasing {
        text: tool.summary.as_ref().into(),
        source: PhrasingSource::Summary,
    };
    let aliases = tool.discovery.aliases.iter().map(|alias| Phrasing {
        text: alias.as_ref().into(),
        source: PhrasingSource::Name,
    });
    let examples = tool
        .usage
        .examples
        .iter()
        .map(|example| &example.description);
    let requests = tool
        .discovery
        .found_by
        .iter()
        .chain(examples)
        .map(|request| Phrasing {
            text: request.as_ref().into(),
            source: PhrasingSource::Request,
        });
    [words, summary]
        .into_iter()
        .chain(requests)
        .chain(aliases)
        .filter(|phrasing| !phrasing.text.trim().is_empty())
        .take(REQUESTS_MAX)
        .collect()
}

/// Returns the words of a name, each once: a name such as `git_git_branch` is not a request.
fn name_words(tool: &ToolSpec) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in tool.name.split(['_', '-', '.', '/']) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

/// How near another tool comes by one request of a tool.
#[derive(Debug, Clone, Copy)]
struct NearPhrasing {
    nearness: f32,
    /// The place of the request among the tool's.
    phrasing: usize,
}

/// The nearest requests of a tool that find another one, by the source of the request.
#[derive(Debug, Default)]
struct NearestPhrasings {
    name: Option<NearPhrasing>,
    summary: Option<NearPhrasing>,
    request: Option<NearPhrasing>,
}

impl NearestPhrasings {
    fn add(&mut self, source: PhrasingSource, near: NearPhrasing) {
        let nearest = match source {
            PhrasingSource::Name => &mut self.name,
            PhrasingSource::Summary => &mut self.summary,
            PhrasingSource::Request => &mut self.request,
        };
        if nearest.is_none_or(|known| known.nearness < near.nearness) {
            *nearest = Some(near);
        }
    }

    /// Returns how near the other tool comes by the tool's name and summary.
    fn by_texts(&self) -> f32 {
        [self.name, self.summary]
            .into_iter()
            .flatten()
            .map(|near| near.nearness)
            .fold(0.0, f32::max)
    }

    /// Returns how near the other tool comes by the requests of the tool, on the scale of
    /// [`by_texts`](Self::by_texts), so that both kinds sort together.
    fn by_request(&self) -> f32 {
        self.request
            .map_or(0.0, |near| near.nearness - NEAR_BY_REQUEST + NEAR)
    }

    /// Returns the request to show: a request if it makes the pair, or a sentence before a name.
    fn shown(&self) -> Option<NearPhrasing> {
        let request = self.request.filter(|_| self.by_request() >= NEAR);
        request.or(self.summary).or(self.name)
    }
}

/// The tools that the requests of each tool also find, by both places.
type OthersFound = HashMap<(usize, usize), NearestPhrasings>;

fn others_found(searcher: &ToolSearcher, tools: &[&ToolSpec]) -> OthersFound {
    let mut found = OthersFound::new();
    for (place, tool) in tools.iter().enumerate() {
        for (index, phrasing) in phrasings(tool).into_iter().enumerate() {
            let hits = searcher.find(&phrasing.text, HITS, searcher.all_visible());
            // A tool that its own texts do not find at all is a matter for tests, not for pairs.
            let Some(own) = hits
                .iter()
                .find(|hit| hit.place == place)
                .map(|hit| hit.score)
            else {
                continue;
            };
            for hit in hits.iter().filter(|hit| hit.place != place) {
                let near = NearPhrasing {
                    nearness: hit.score / own,
                    phrasing: index,
                };
                let by = found.entry((place, hit.place)).or_default();
                by.add(phrasing.source, near);
            }
        }
    }
    found
}

/// A pair by the places of its tools.
struct PlacedPair {
    tool: usize,
    other: usize,
    /// What the pairs are sorted by.
    closeness: f32,
    shown: NearPhrasing,
}

impl PlacedPair {
    /// Returns the pair if these tools are near. Of the two directions, only one gives a pair.
    fn new(
        (tool, other): (usize, usize),
        by: &NearestPhrasings,
        found: &OthersFound,
    ) -> Option<Self> {
        let back = found.get(&(other, tool));
        let texts_back = back.map_or(0.0, NearestPhrasings::by_texts);
        let mutual = (by.by_texts() + texts_back) / 2.0;
        let closeness = mutual.max(by.by_request());
        let shown = by.shown()?;
        let closeness_back = mutual.max(back.map_or(0.0, NearestPhrasings::by_request));
        let shown_back = back.and_then(NearestPhrasings::shown);
        // The direction that is closer is shown, then the one whose request comes nearer.
        let is_shown = closeness
            .total_cmp(&closeness_back)
            .then(
                shown
                    .nearness
                    .total_cmp(&shown_back.map_or(0.0, |near| near.nearness)),
            )
            .then(other.cmp(&tool))
            .is_gt();
        (is_shown && closeness >= NEAR).then_some(Self {
            tool,
            other,
            closeness,
            shown,
        })
    }
}

/// The pairs of each tool so far, within the limits.
struct PairLimits {
    pairs_of: Vec<usize>,
    tools: usize,
    tools_max: usize,
}

impl PairLimits {
    fn new(tools: usize) -> Self {
        let share = (tools as f32 * TOOLS_SHARE_MAX) as usize;
        Self {
            pairs_of: vec![0; tools],
            tools: 0,
            tools_max: share.max(TOOLS_ALWAYS),
        }
    }

    /// Counts a pair if it is within the limits. Nearer pairs are to come first.
    fn admit(&mut self, places: [usize; 2]) -> bool {
        let Some(counts) = self.pairs_of.get_disjoint_mut(places).ok() else {
            return false;
        };
        let added = counts.iter().filter(|count| ***count == 0).count();
        if counts.iter().any(|count| **count >= PAIRS_OF_TOOL_MAX)
            || self.tools + added > self.tools_max
        {
            return false;
        }
        for count in counts {
            *count += 1;
        }
        self.tools += added;
        true
    }
}

impl ToolSearcher {
    fn words_of_both(&self, request: &str, places: [usize; 2]) -> Vec<String> {
        self.word_index().words_of_both(request, places)
    }
}

impl WordIndex {
    /// Returns the words of a request that both documents have in some form, the rarest first.
    fn words_of_both(&self, request: &str, places: [usize; 2]) -> Vec<String> {
        let mut shared: Vec<(f32, String)> = Vec::new();
        tokenize::each(beginning(request), &mut |word, kind| {
            if kind != WordKind::Plain || shared.iter().any(|(_, known)| known == word) {
                return;
            }
            let mut root = String::new();
            stem::write_root(word, &mut root);
            let Some(term) = self.roots.get(&root) else {
                return;
            };
            let postings = self.postings.get(term);
            // Words such as `the` are shared by all tools and explain nothing.
            let is_telling = english::weight(word) > FRAME_WEIGHT;
            if is_telling
                && places.iter().all(|place| {
                    postings
                        .iter()
                        .any(|posting| posting.place as usize == *place)
                })
            {
                let rarity = self.all_visible().rarity(&self.postings, term);
                shared.push((rarity.unwrap_or_default(), word.to_owned()));
            }
        });
        shared.sort_by(|one, next| next.0.total_cmp(&one.0));
        shared
            .into_iter()
            .map(|(_, word)| word)
            .take(WORDS_MAX)
            .collect()
    }
}
