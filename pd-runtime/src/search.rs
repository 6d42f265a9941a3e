//! Search for tools by purpose, over an index of all texts about the tools that is built once.
//!
//! [`Registry::search`] builds a search. Words are enough for most requests. An embedding model
//! ([`Embed`]) helps if a request and a tool have no word in common.

mod confidence;
pub(crate) mod document;
mod embed;
mod embeddings;
mod english;
mod fusion;
mod fuzzy;
mod index;
#[cfg(feature = "semantic")]
mod mini_lm;
mod normalize;
mod query;
mod rank;
pub(crate) mod searcher;
mod stem;
mod tokenize;
pub(crate) mod visible_stats;
mod vocabulary;
#[cfg(feature = "semantic")]
mod weights;

#[cfg(test)]
mod tests;

pub use embed::{Embed, EmbedError};
pub use searcher::Mode;
#[cfg(feature = "semantic")]
pub use {mini_lm::MiniLm, weights::LoadError};

use crate::registry::{Registry, tool::Tool, tool_spec::About};
use document::{Document, groups_by_tool};
use searcher::{Finder, Hit};
use std::sync::Arc;

/// A search for tools by purpose: it covers their names, summaries, descriptions, arguments,
/// aliases, examples and groups.
///
/// The search needs no model and no network, splits identifiers into words, and works in every
/// language: a request finds the tools that contain its words in any form or spelling. An English
/// request also finds tools whose verb is a synonym.
///
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
    finder: Finder,
    tools: Vec<Listed>,
}

#[derive(Debug)]
struct Listed {
    name: String,
    summary: String,
}

/// A search result.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Found<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The tool's summary.
    pub summary: &'a str,
    /// The tool's index among the searched tools.
    pub place: usize,
    /// The score; comparable within one list of results only.
    pub score: f32,
    /// True if the tool is clearly the intended one, so that its description can be shown at once.
    /// This is true for the first result at most.
    pub stands_out: bool,
}

impl Search {
    /// Creates a search over these tools. They do not have to pass the checks of a registry.
    pub fn new<'a, S: 'static>(tools: impl IntoIterator<Item = &'a Tool<S>>) -> Self {
        let abouts: Vec<&About> = tools.into_iter().map(|tool| &tool.about).collect();
        Self { finder: Finder::new(&without_groups(&abouts)), tools: names_and_summaries(&abouts) }
    }

    /// Creates a search by words and by meaning; see [`Registry::search_with`].
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub fn with_model<'a, S: 'static>(
        tools: impl IntoIterator<Item = &'a Tool<S>>,
        model: Arc<dyn Embed>,
    ) -> Result<Self, EmbedError> {
        let abouts: Vec<&About> = tools.into_iter().map(|tool| &tool.about).collect();
        Ok(Self { finder: Finder::with_model(&without_groups(&abouts), model)?, tools: names_and_summaries(&abouts) })
    }

    /// Returns the `limit` best tools for a request, best first. Only the first 4,096 bytes of a
    /// request are read.
    ///
    /// With a model, a search takes as long as the model needs. On an async runtime, call it on the
    /// blocking pool.
    pub fn find(&self, request: &str, limit: usize) -> Vec<Found<'_>> {
        self.to_results(self.finder.find(request, limit, self.finder.everyone()))
    }

    /// Returns the best tools for a caller who may see only the tools whose names satisfy `sees`.
    /// Other tools do not influence the result.
    pub fn find_among(&self, request: &str, limit: usize, sees: impl Fn(&str) -> bool) -> Vec<Found<'_>> {
        let view = self.finder.view(|place| self.tools.get(place).is_some_and(|tool| sees(&tool.name)));
        self.to_results(self.finder.find(request, limit, &view))
    }

    /// Searches by words only or by meaning only, to measure both.
    ///
    /// # Errors
    ///
    /// Returns the error of the model. The other search methods fall back to words if the model
    /// fails.
    pub fn find_by(&self, mode: Mode, request: &str, limit: usize) -> Result<Vec<Found<'_>>, EmbedError> {
        Ok(self.to_results(self.finder.find_by(mode, request, limit, self.finder.everyone())?))
    }

    fn to_results(&self, hits: Vec<Hit>) -> Vec<Found<'_>> {
        let result = |hit: Hit| {
            let tool = self.tools.get(hit.place)?;
            let Hit { place, score, stands_out } = hit;
            Some(Found { name: &tool.name, summary: &tool.summary, place, score, stands_out })
        };
        hits.into_iter().filter_map(result).collect()
    }
}

impl<S: 'static> Registry<S> {
    /// Builds a search over the registry's tools by words. This takes milliseconds; build it once
    /// and reuse it.
    pub fn search(&self) -> Search {
        let abouts = self.abouts();
        Search { finder: Finder::new(&self.documents(&abouts)), tools: names_and_summaries(&abouts) }
    }

    /// Builds a search over the registry's tools by words and by meaning.
    ///
    /// This embeds every tool once, which takes a model like `MiniLm` (feature `semantic`) about 50
    /// ms each; `tracing` reports the progress. The fewer words of a request occur in any tool, the
    /// more its meaning counts.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub fn search_with(&self, model: Arc<dyn Embed>) -> Result<Search, EmbedError> {
        let abouts = self.abouts();
        Ok(Search { finder: Finder::with_model(&self.documents(&abouts), model)?, tools: names_and_summaries(&abouts) })
    }

    fn abouts(&self) -> Vec<&About> {
        self.tools.iter().map(|tool| &tool.about).collect()
    }

    fn documents<'a>(&'a self, abouts: &[&'a About]) -> Vec<Document<'a>> {
        let groups = groups_by_tool(&self.groups);
        let groups_of = |about: &&'a About| groups.get(about.name.as_ref()).map_or(&[][..], Vec::as_slice);
        abouts.iter().map(|about| Document::new(about, groups_of(about))).collect()
    }
}

fn without_groups<'a>(abouts: &[&'a About]) -> Vec<Document<'a>> {
    abouts.iter().map(|about| Document::new(about, &[])).collect()
}

fn names_and_summaries(abouts: &[&About]) -> Vec<Listed> {
    let listed = |about: &&About| Listed { name: about.name.to_string(), summary: about.summary.to_string() };
    abouts.iter().map(listed).collect()
}
