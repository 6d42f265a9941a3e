//! Search for tools by their purpose, with an index that is built once.
//!
//! [`Registry::search`] builds a search by words, which is enough for most requests. An embedding
//! model ([`Embedder`]) also finds tools that have no word in common with the request.

mod best_hits;
mod confidence;
mod confusable;
pub(crate) mod document;
mod embedder;
mod embeddings;
mod english;
pub(crate) mod explain;
mod fusion;
mod fuzzy;
mod index;
mod intent;
#[cfg(feature = "semantic")]
mod mini_lm;
mod normalize;
mod query;
mod rank;
pub(crate) mod request_check;
pub(crate) mod scan;
pub(crate) mod searcher;
mod stem;
pub(crate) mod steps;
mod stored_embedder;
pub(crate) mod subjects;
#[cfg(feature = "cli")]
pub(crate) mod suggestion;
mod thesaurus;
mod tokenize;
mod vector_file;
pub(crate) mod visible_stats;
mod vocabulary;
#[cfg(feature = "semantic")]
mod weights;
mod word_gains;

#[cfg(test)]
mod tests;

pub use confusable::ConfusablePair;
pub use embedder::{EmbedError, Embedder};
pub use searcher::SearchMode;
pub use stored_embedder::StoredEmbedder;
#[cfg(feature = "semantic")]
pub use {mini_lm::MiniLm, weights::LoadError};

use crate::registry::{Registry, tool::Tool, tool_spec::ToolSpec};
use document::{ToolDocument, groups_by_tool};
use searcher::{DocumentHit, ToolSearcher};
use std::sync::Arc;

/// A search over tools by their names, summaries, descriptions, arguments, aliases, examples and
/// groups.
///
/// The search needs neither a model nor a network connection, and it splits identifiers into words.
/// It supports any language: a request matches the same words in other forms and spellings. For
/// requests in English, it also matches synonyms of common verbs.
/// ```
/// use pd_runtime::prelude::*;
///
/// /// Commits of one branch, newest first.
/// #[pd_tool(summary = "List commits")]
/// async fn log(branch: String) -> String {
///     branch
/// }
///
/// /// Deletes a branch that was merged.
/// #[pd_tool(summary = "Delete a branch", aliases("prune"))]
/// async fn delete_branch(branch: String) -> String {
///     branch
/// }
///
/// let registry: Registry<()> = pd_runtime::registry! { log, delete_branch };
/// let search = registry.search();
///
/// let found = search.find("get rid of merged branches", 5);
/// assert_eq!(found[0].name, "delete_branch");
///
/// assert!(search.find("prune", 5)[0].stands_out);
/// ```
#[derive(Debug)]
pub struct Search {
    finder: ToolSearcher,
    tools: Vec<SearchedTool>,
}

#[derive(Debug)]
struct SearchedTool {
    name: String,
    summary: String,
}

/// A tool that matches a request.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SearchHit<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The tool's summary.
    pub summary: &'a str,
    /// The index of the tool in the searched sequence.
    pub index: usize,
    /// The score of the match. Scores are comparable within one answer only.
    pub score: f32,
    /// Whether this is very probably the intended tool, so that its description is worth reading at
    /// once. At most the first result has this flag, or the best one of each step.
    pub stands_out: bool,
    /// The step that this is the best hit for, from 0, if the request has several: "find the flaky
    /// test and open an issue about it". These hits come first, in the order of the steps.
    pub step: Option<usize>,
}

impl Search {
    /// Creates a search over these tools. They need not be valid for serving.
    pub fn new<'a, S: 'static>(tools: impl IntoIterator<Item = &'a Tool<S>>) -> Self {
        let abouts: Vec<&ToolSpec> = tools.into_iter().map(|tool| &tool.about).collect();
        Self {
            finder: ToolSearcher::new(&without_groups(&abouts)),
            tools: searched_tools(&abouts),
        }
    }

    /// Creates a search by words and by meaning; see [`Registry::search_with`].
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub fn with_model<'a, S: 'static>(
        tools: impl IntoIterator<Item = &'a Tool<S>>,
        model: Arc<dyn Embedder>,
    ) -> Result<Self, EmbedError> {
        let abouts: Vec<&ToolSpec> = tools.into_iter().map(|tool| &tool.about).collect();
        Ok(Self {
            finder: ToolSearcher::with_model(&without_groups(&abouts), model)?,
            tools: searched_tools(&abouts),
        })
    }

    /// Returns the `limit` tools that match the request best, best first. Only the beginning of a
    /// long request is read.
    ///
    /// A request for several steps, each with a verb, gets the best tool of each step first, then
    /// the next best of each. At most five steps are told apart.
    ///
    /// With a model, the call takes as long as the model does. On an async runtime, use the
    /// blocking pool.
    pub fn find(&self, request: &str, limit: usize) -> Vec<SearchHit<'_>> {
        self.to_results(self.finder.find(request, limit, self.finder.all_visible()))
    }

    /// Searches like [`find`](Self::find), for a caller who sees only the tools whose names `sees`
    /// accepts. Other tools do not influence the result.
    pub fn find_among(
        &self,
        request: &str,
        limit: usize,
        sees: impl Fn(&str) -> bool,
    ) -> Vec<SearchHit<'_>> {
        // Hidden tools take no part. Left out of the hits alone, they would still change the
        // scores.
        let view = self
            .finder
            .view(|place| self.tools.get(place).is_some_and(|tool| sees(&tool.name)));
        self.to_results(self.finder.find(request, limit, &view))
    }

    /// Searches by words or by meaning only, to compare them.
    ///
    /// # Errors
    ///
    /// Returns the error of the model. The other methods fall back to words if the model fails.
    pub fn find_by(
        &self,
        mode: SearchMode,
        request: &str,
        limit: usize,
    ) -> Result<Vec<SearchHit<'_>>, EmbedError> {
        Ok(self.to_results(
            self.finder
                .find_by(mode, request, limit, self.finder.all_visible())?,
        ))
    }

    fn to_results(&self, hits: Vec<DocumentHit>) -> Vec<SearchHit<'_>> {
        hits.into_iter()
            .filter_map(|hit| {
                let tool = self.tools.get(hit.place)?;
                let DocumentHit {
                    place,
                    score,
                    stands_out,
                    step,
                } = hit;
                Some(SearchHit {
                    name: &tool.name,
                    summary: &tool.summary,
                    index: place,
                    score,
                    stands_out,
                    step,
                })
            })
            .collect()
    }
}

/// Returns the pairs among these tools that search confuses; see [`Registry::confusable_tools`].
/// The tools need not be valid for serving.
pub fn confusable_tools<'a, S: 'static>(
    tools: impl IntoIterator<Item = &'a Tool<S>>,
) -> Vec<ConfusablePair> {
    let abouts: Vec<&ToolSpec> = tools.into_iter().map(|tool| &tool.about).collect();
    confusable::pairs(&ToolSearcher::new(&without_groups(&abouts)), &abouts)
}

impl<S: 'static> Registry<S> {
    /// Builds a search by words over the registry's tools. This takes milliseconds; build it once
    /// and keep it.
    pub fn search(&self) -> Search {
        let abouts = self.abouts();
        Search {
            finder: ToolSearcher::new(&self.documents(&abouts)),
            tools: searched_tools(&abouts),
        }
    }

    /// Builds a search by words and by meaning over the registry's tools.
    ///
    /// This call embeds each tool once, which takes a model like `MiniLm` (feature `semantic`)
    /// about 50 ms per tool. A [`StoredEmbedder`] keeps the vectors for the next start. The
    /// progress is logged with `tracing`. If few words of a request occur in any tool, the meaning
    /// gets more weight.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub fn search_with(&self, model: Arc<dyn Embedder>) -> Result<Search, EmbedError> {
        let abouts = self.abouts();
        Ok(Search {
            finder: ToolSearcher::with_model(&self.documents(&abouts), model)?,
            tools: searched_tools(&abouts),
        })
    }

    /// Returns the pairs of tools that search by words confuses, the nearest first.
    ///
    /// Two tools are a pair if each one's name or summary finds the other with at least half of the
    /// score in the mean, or if an example or a request that should find one of them (`found_by`)
    /// finds the other with at least 65 %. Each tool is in at most three pairs, and at most 35 % of the tools
    /// (of 28 tools or fewer: ten) are in one, so that the list can be worked through.
    ///
    /// ```
    /// use pd_runtime::prelude::*;
    ///
    /// #[pd_tool(summary = "List the servers of a region")]
    /// fn server_list() {}
    ///
    /// #[pd_tool(summary = "Show the servers of a region")]
    /// fn server_get() {}
    ///
    /// #[pd_tool(summary = "Pay an open invoice by card")]
    /// fn invoice_pay() {}
    ///
    /// let registry: Registry<()> = pd_runtime::registry! { server_list, server_get, invoice_pay };
    /// let pairs = registry.confusable_tools();
    /// assert!(pairs[0].words.contains(&"servers".to_owned()));
    /// ```
    pub fn confusable_tools(&self) -> Vec<ConfusablePair> {
        let abouts = self.abouts();
        confusable::pairs(&ToolSearcher::new(&self.documents(&abouts)), &abouts)
    }

    pub(crate) fn abouts(&self) -> Vec<&ToolSpec> {
        self.tools.iter().map(|tool| &tool.about).collect()
    }

    fn documents<'a>(&'a self, abouts: &[&'a ToolSpec]) -> Vec<ToolDocument<'a>> {
        let groups = groups_by_tool(&self.groups);
        let of = |about: &&'a ToolSpec| {
            groups
                .get(about.name.as_ref())
                .map_or(&[][..], Vec::as_slice)
        };
        abouts
            .iter()
            .map(|about| ToolDocument::new(about, of(about)))
            .collect()
    }
}

fn without_groups<'a>(abouts: &[&'a ToolSpec]) -> Vec<ToolDocument<'a>> {
    abouts
        .iter()
        // A registry has the groups, and tools alone have none.
        .map(|about| ToolDocument::new(about, &[]))
        .collect()
}

fn searched_tools(abouts: &[&ToolSpec]) -> Vec<SearchedTool> {
    abouts
        .iter()
        .map(|about| SearchedTool {
            // Copied, because the search outlives the tools that it was built from.
            name: about.name.to_string(),
            summary: about.summary.to_string(),
        })
        .collect()
}
