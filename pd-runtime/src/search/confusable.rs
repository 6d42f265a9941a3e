//! Pairs of tools that search confuses: the texts that describe one tool also find the other.

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

/// The share of a tool's own score from which another tool counts as near. Chosen on requests with
/// a known answer (Azure's MCP server, 940 requests): the pairs above it explain 61 % of the wrong
/// first hits, and contain 89 % of the tools. The example `retrieval --confusable` counts both.
const NEAR: f32 = 0.6;

/// The limit on the number of pairs with the same tool.
const PAIRS_OF_TOOL_MAX: usize = 3;

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
    /// The request: the summary of `tool`, its name, an alias, the text of an example,
    /// or a request that should find it.
    pub request: String,
    /// The score of `other` for the request, relative to that of `tool`. From 1 on, `other` is
    /// found first.
    pub nearness: f32,
    /// Words of the request that both tools have, the rarest first.
    pub words: Vec<String>,
}

/// A pair by the places of its tools.
struct PlacedPair {
    tool: usize,
    other: usize,
    request: String,
    nearness: f32,
}

/// Returns the pairs among these tools, the nearest first. `searcher` has an index over the same
/// tools in the same order. Each tool is in at most three pairs.
pub(crate) fn pairs(searcher: &ToolSearcher, tools: &[&ToolSpec]) -> Vec<ConfusablePair> {
    let mut pairs: Vec<PlacedPair> = nearest_requests(searcher, tools).into_values().collect();
    // A hash map has no order, so equal pairs are sorted by their tools.
    let places = |pair: &PlacedPair| (pair.tool, pair.other);
    pairs.sort_by(|one, next| {
        next.nearness
            .total_cmp(&one.nearness)
            .then(places(one).cmp(&places(next)))
    });
    let mut counts = vec![0; tools.len()];
    // In the order of nearness, so that a tool keeps its nearest pairs.
    pairs.retain(|pair| {
        let is_free = |place: usize| {
            counts
                .get(place)
                .is_some_and(|count| *count < PAIRS_OF_TOOL_MAX)
        };
        let keeps = is_free(pair.tool) && is_free(pair.other);
        if keeps {
            let both = [pair.tool, pair.other];
            both.into_iter().for_each(|place| {
                counts
                    .get_mut(place)
                    .into_iter()
                    .for_each(|count| *count += 1)
            });
        }
        keeps
    });
    let name = |place: usize| {
        tools
            .get(place)
            .map(|tool| tool.name.to_string())
            .unwrap_or_default()
    };
    pairs
        .into_iter()
        .map(|pair| ConfusablePair {
            tool: name(pair.tool),
            other: name(pair.other),
            words: searcher.words_of_both(&pair.request, [pair.tool, pair.other]),
            request: pair.request,
            nearness: pair.nearness,
        })
        .collect()
}

/// Finds, for each two tools, the request of one that the other is nearest to.
fn nearest_requests(
    searcher: &ToolSearcher,
    tools: &[&ToolSpec],
) -> HashMap<(usize, usize), PlacedPair> {
    let mut nearest: HashMap<(usize, usize), PlacedPair> = HashMap::new();
    for (place, tool) in tools.iter().enumerate() {
        for request in requests(tool) {
            let hits = searcher.find(&request, HITS, searcher.all_visible());
            // A tool that its own texts do not find at all is a matter for tests, not for pairs.
            let Some(own) = hits
                .iter()
                .find(|hit| hit.place == place)
                .map(|hit| hit.score)
            else {
                continue;
            };
            let others = hits
                .iter()
                .filter(|hit| hit.place != place && hit.score >= NEAR * own);
            for hit in others {
                let other = hit.place;
                let nearness = hit.score / own;
                // Both directions are one pair.
                let key = (place.min(other), place.max(other));
                if nearest
                    .get(&key)
                    .is_none_or(|known| known.nearness < nearness)
                {
                    let request = request.to_string();
                    nearest.insert(
                        key,
                        PlacedPair {
                            tool: place,
                            other,
                            request,
                            nearness,
                        },
                    );
                }
            }
        }
    }
    nearest
}

/// Returns requests in the tool's own words, as its callers might phrase them.
pub(super) fn requests(tool: &ToolSpec) -> Vec<Cow<'_, str>> {
    // The separators of names, which a request in words lacks.
    let name = tool.name.replace(['_', '-', '.', '/'], " ");
    let examples = tool
        .examples
        .iter()
        .map(|example| Cow::Borrowed(example.description.as_ref()));
    let mut requests = vec![
        Cow::Borrowed(tool.summary.as_ref()),
        format!("{name} {}", tool.summary).into(),
        name.into(),
    ];
    requests.extend(
        tool.aliases
            .iter()
            .map(|alias| Cow::Borrowed(alias.as_ref())),
    );
    requests.extend(examples);
    requests.extend(
        tool.found_by
            .iter()
            .map(|request| Cow::Borrowed(request.as_ref())),
    );
    requests.retain(|request| !request.trim().is_empty());
    requests.truncate(REQUESTS_MAX);
    requests
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
            let Some(postings) = self.roots.get(&root).map(|term| self.postings.get(term)) else {
                return;
            };
            // Words such as `the` are shared by all tools and explain nothing.
            let is_telling = english::weight(word) > FRAME_WEIGHT;
            if is_telling
                && places.iter().all(|place| {
                    postings
                        .iter()
                        .any(|posting| posting.place as usize == *place)
                })
            {
                shared.push((
                    self.all_visible().rarity(postings).unwrap_or_default(),
                    word.to_owned(),
                ));
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

#[cfg(test)]
mod tests {
    use crate::{Registry, Tool, tool::output::IntoOutput};

    fn registry(tools: &[(&'static str, &'static str)]) -> Registry<()> {
        let tool = |(name, summary): &(&'static str, &'static str)| {
            Tool::new(*name, *summary, |(), _, _| {
                Box::pin(async { ().into_output() })
            })
        };
        Registry::builder().tools(tools.iter().map(tool)).freeze()
    }

    #[test]
    fn tools_with_the_same_words_are_a_pair_and_others_are_not() {
        let registry = registry(&[
            ("server_list", "List the servers of a region"),
            ("server_get", "Show the servers of a region"),
            ("invoice_pay", "Pay an open invoice by card"),
        ]);
        let pairs = registry.confusable_tools();
        let names: Vec<_> = pairs
            .iter()
            .map(|pair| (pair.tool.as_str(), pair.other.as_str()))
            .collect();
        assert!(
            names == [("server_list", "server_get")] || names == [("server_get", "server_list")],
            "{names:?}"
        );
        assert!(
            pairs
                .iter()
                .all(|pair| pair.words.iter().any(|word| word == "servers")),
            "{pairs:?}"
        );
        assert!(
            !pairs
                .iter()
                .any(|pair| pair.words.iter().any(|word| word == "list")),
            "only one has it: {pairs:?}"
        );
    }

    #[test]
    fn a_tool_is_in_three_pairs_at_most() {
        let names: Vec<String> = (0..20).map(|number| format!("copy_{number}")).collect();
        let tools: Vec<_> = names
            .iter()
            .map(|name| (&*name.clone().leak(), "Copy a file to a folder"))
            .collect();
        let pairs = registry(&tools).confusable_tools();
        let of = |name: &str| {
            pairs
                .iter()
                .filter(|pair| pair.tool == name || pair.other == name)
                .count()
        };
        assert_eq!(names.iter().map(|name| of(name)).max(), Some(3));
        assert!(pairs.iter().all(|pair| pair.nearness > 0.6), "{pairs:?}");
    }
}
