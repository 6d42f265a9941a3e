//! Finding a tool by what it is for: an index over all that is said of the tools, built once.
//!
//! [`Registry::search`] makes one. Words are enough for most requests; a model that knows meanings ([`Embed`]) helps where
//! a request and a tool have no word in common.

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

/// A search over tools, by what they are for: their names, summaries, descriptions, arguments, aliases, examples, groups.
///
/// It needs no model and no network, knows identifiers from words, and takes any language: a request finds what has its
/// words, in whatever form or spelling. English requests also find tools whose verb is another for the same.
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

/// A tool that fits a request.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Found<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The tool's summary.
    pub summary: &'a str,
    /// Its place among the tools searched.
    pub place: usize,
    /// How well it fits; comparable within one answer only.
    pub score: f32,
    /// Whether it is clearly the one that is meant, so that its description is worth reading at once. The first at most is.
    pub stands_out: bool,
}

impl Search {
    /// A search over these tools, which need not be fit to be served.
    pub fn new<'a, S: 'static>(tools: impl IntoIterator<Item = &'a Tool<S>>) -> Self {
        let abouts: Vec<&About> = tools.into_iter().map(|tool| &tool.about).collect();
        Self { finder: Finder::new(&alone(&abouts)), tools: listed(&abouts) }
    }

    /// The same by words and by meaning; see [`Registry::search_with`].
    ///
    /// # Errors
    ///
    /// The model's own.
    pub fn with_model<'a, S: 'static>(
        tools: impl IntoIterator<Item = &'a Tool<S>>,
        model: Arc<dyn Embed>,
    ) -> Result<Self, EmbedError> {
        let abouts: Vec<&About> = tools.into_iter().map(|tool| &tool.about).collect();
        Ok(Self { finder: Finder::with_model(&alone(&abouts), model)?, tools: listed(&abouts) })
    }

    /// The `limit` tools that fit a request best, best first. Of a long request the beginning is read.
    ///
    /// With a model this takes as long as the model does: on an async runtime, call it on the blocking pool.
    pub fn find(&self, request: &str, limit: usize) -> Vec<Found<'_>> {
        self.found(self.finder.find(request, limit, self.finder.everyone()))
    }

    /// The same for a caller who sees those tools only for whose name `sees` holds. The others influence nothing.
    pub fn find_among(&self, request: &str, limit: usize, sees: impl Fn(&str) -> bool) -> Vec<Found<'_>> {
        let view = self.finder.view(|place| self.tools.get(place).is_some_and(|tool| sees(&tool.name)));
        self.found(self.finder.find(request, limit, &view))
    }

    /// The same by words or by meaning alone, to measure them.
    ///
    /// # Errors
    ///
    /// The model's own; the other ways to search go by words if it fails.
    pub fn find_by(&self, mode: Mode, request: &str, limit: usize) -> Result<Vec<Found<'_>>, EmbedError> {
        Ok(self.found(self.finder.find_by(mode, request, limit, self.finder.everyone())?))
    }

    fn found(&self, hits: Vec<Hit>) -> Vec<Found<'_>> {
        let found = |hit: Hit| {
            let tool = self.tools.get(hit.place)?;
            let Hit { place, score, stands_out } = hit;
            Some(Found { name: &tool.name, summary: &tool.summary, place, score, stands_out })
        };
        hits.into_iter().filter_map(found).collect()
    }
}

impl<S: 'static> Registry<S> {
    /// Makes a search over the registry's tools by words. It takes milliseconds: make one and keep it.
    pub fn search(&self) -> Search {
        let abouts = self.abouts();
        Search { finder: Finder::new(&self.documents(&abouts)), tools: listed(&abouts) }
    }

    /// Makes a search over the registry's tools by words and by meaning.
    ///
    /// Each tool is embedded here, once, which a model like `MiniLm` (feature `semantic`) does in some 50 ms; `tracing` tells the
    /// progress. Where few words of a request occur in any tool, its meaning counts more.
    ///
    /// # Errors
    ///
    /// The model's own.
    pub fn search_with(&self, model: Arc<dyn Embed>) -> Result<Search, EmbedError> {
        let abouts = self.abouts();
        Ok(Search { finder: Finder::with_model(&self.documents(&abouts), model)?, tools: listed(&abouts) })
    }

    fn abouts(&self) -> Vec<&About> {
        self.tools.iter().map(|tool| &tool.about).collect()
    }

    fn documents<'a>(&'a self, abouts: &[&'a About]) -> Vec<Document<'a>> {
        let groups = groups_by_tool(&self.groups);
        let of = |about: &&'a About| groups.get(about.name.as_ref()).map_or(&[][..], Vec::as_slice);
        abouts.iter().map(|about| Document::new(about, of(about))).collect()
    }
}

fn alone<'a>(abouts: &[&'a About]) -> Vec<Document<'a>> {
    abouts.iter().map(|about| Document::new(about, &[])).collect()
}

fn listed(abouts: &[&About]) -> Vec<Listed> {
    let listed = |about: &&About| Listed { name: about.name.to_string(), summary: about.summary.to_string() };
    abouts.iter().map(listed).collect()
}
