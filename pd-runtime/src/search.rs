//! Finding a tool by what it is for: an index over all that is said of the tools, built once, and the search that authors
//! have of it.

pub(crate) mod document;
mod english;
pub(crate) mod find;
mod fold;
pub(crate) mod index;
pub(crate) mod likely;
mod near;
mod query;
mod rank;
mod root;
pub(crate) mod view;
mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

use crate::registry::{Registry, about::About, tool::Tool};
use document::{Document, groups_by_tool};
use find::Hit;
use index::Index;
use likely::stands_out;
use view::View;

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
/// // Clearly the one that is meant, so that its description is worth reading at once.
/// assert_eq!(search.the_one("prune").unwrap().name, "delete_branch");
/// ```
#[derive(Debug)]
pub struct Search {
    index: Index,
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
}

impl Search {
    /// A search over these tools, which need not be fit to be served.
    pub fn new<'a, S: 'static>(tools: impl IntoIterator<Item = &'a Tool<S>>) -> Self {
        let abouts: Vec<&About> = tools.into_iter().map(|tool| &tool.about).collect();
        let documents: Vec<_> = abouts.iter().map(|about| Document::new(about, &[])).collect();
        Self::over(&documents, &abouts)
    }

    fn over(documents: &[Document<'_>], abouts: &[&About]) -> Self {
        let listed = |about: &&About| Listed { name: about.name.to_string(), summary: about.summary.to_string() };
        Self { index: Index::new(documents), tools: abouts.iter().map(listed).collect() }
    }

    /// The `limit` tools that fit a request best, best first. Of a long request the beginning is read.
    pub fn find(&self, request: &str, limit: usize) -> Vec<Found<'_>> {
        self.found(self.index.find(request, limit, self.index.everyone()))
    }

    /// The same for a caller who sees those tools only for whose name `sees` holds. The others influence nothing.
    pub fn find_among(&self, request: &str, limit: usize, sees: impl Fn(&str) -> bool) -> Vec<Found<'_>> {
        self.found(self.index.find(request, limit, &self.view(sees)))
    }

    /// The tool that a request clearly means, if there is one.
    pub fn the_one(&self, request: &str) -> Option<Found<'_>> {
        let hits = self.index.find(request, 2, self.index.everyone());
        if stands_out(&hits) { self.found(hits).first().copied() } else { None }
    }

    fn view(&self, sees: impl Fn(&str) -> bool) -> View {
        self.index.view(|place| self.tools.get(place).is_some_and(|tool| sees(&tool.name)))
    }

    fn found(&self, hits: Vec<Hit>) -> Vec<Found<'_>> {
        let found = |hit: Hit| {
            let tool = self.tools.get(hit.place)?;
            Some(Found { name: &tool.name, summary: &tool.summary, place: hit.place, score: hit.score })
        };
        hits.into_iter().filter_map(found).collect()
    }
}

impl<S: 'static> Registry<S> {
    /// Makes a search over the registry's tools. It takes milliseconds: make one and keep it.
    pub fn search(&self) -> Search {
        let abouts: Vec<&About> = self.tools.iter().map(|tool| &tool.about).collect();
        Search::over(&documents(&abouts, self), &abouts)
    }
}

fn documents<'a, S>(abouts: &[&'a About], registry: &'a Registry<S>) -> Vec<Document<'a>> {
    let groups = groups_by_tool(&registry.groups);
    let of = |about: &&'a About| groups.get(about.name.as_ref()).map_or(&[][..], Vec::as_slice);
    abouts.iter().map(|about| Document::new(about, of(about))).collect()
}
