//! The search: parses the request, scores what the caller sees by words and by meaning, and selects
//! the hits.

use super::{
    confidence::stands_out,
    document::Document,
    embed::{Embed, EmbedError},
    embeddings::Meanings,
    fusion::{NEAR, fuse},
    index::Index,
    query::{Query, beginning},
    rank::best,
    visible_stats::View,
};
use std::sync::Arc;

/// The kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// By the words of a request.
    Words,
    /// By its meaning only, if there is a model. Used to measure a model.
    Meaning,
    /// By both, if there is a model.
    #[default]
    Both,
}

/// The index and the embeddings, built once.
#[derive(Debug)]
pub(crate) struct Finder {
    index: Index,
    meanings: Option<Meanings>,
}

/// A document that matches a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// The document's position among the indexed documents.
    pub(crate) place: usize,
    /// The score; comparable within one result only.
    pub(crate) score: f32,
    /// True if the document is clearly the intended one. This is true for the first hit at most.
    pub(crate) stands_out: bool,
}

impl Finder {
    /// Creates a search by words.
    pub(crate) fn new(documents: &[Document<'_>]) -> Self {
        Self { index: Index::new(documents), meanings: None }
    }

    /// Creates a search by words and by meaning. The model embeds all documents here, and one text
    /// in each search, so both belong on the blocking pool.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(crate) fn with_model(documents: &[Document<'_>], model: Arc<dyn Embed>) -> Result<Self, EmbedError> {
        Ok(Self { index: Index::new(documents), meanings: Some(Meanings::new(documents, model)?) })
    }

    /// Creates a search over `count` documents with the same model. All documents but those in
    /// `news` are unchanged. The model does not read known texts again. If the model fails, the new
    /// search uses words only.
    pub(crate) fn again(&self, count: usize, news: &[(usize, Document<'_>)]) -> Self {
        let meanings = self.meanings.as_ref().map(|meanings| meanings.again(count, news)).transpose();
        let meanings = meanings.unwrap_or_else(|error| {
            tracing::warn!(%error, "later searches use words only");
            None
        });
        Self { index: self.index.again(count, news), meanings }
    }

    /// Returns whether the search uses a model.
    pub(crate) fn has_model(&self) -> bool {
        self.meanings.is_some()
    }

    /// Returns the view of a caller who sees all documents.
    pub(crate) fn everyone(&self) -> &View {
        self.index.everyone()
    }

    /// Returns the view of a caller who sees the documents that satisfy `sees`. Other documents do
    /// not exist for that caller.
    pub(crate) fn view(&self, sees: impl FnMut(usize) -> bool) -> View {
        self.index.view(sees)
    }

    /// Returns the `limit` best documents for a request, best first; of equal scores, the lower
    /// place first. If the model fails, only words count.
    pub(crate) fn find(&self, request: &str, limit: usize, view: &View) -> Vec<Hit> {
        self.find_by(Mode::Both, request, limit, view).unwrap_or_else(|error| {
            tracing::warn!(%error, "searching by words only");
            self.by_words(request, limit, view)
        })
    }

    /// Searches in the given mode.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(crate) fn find_by(&self, mode: Mode, request: &str, limit: usize, view: &View) -> Result<Vec<Hit>, EmbedError> {
        let request = beginning(request);
        let Some(meanings) = self.meanings.as_ref().filter(|_| mode != Mode::Words) else {
            return Ok(self.by_words(request, limit, view));
        };
        let similarities = meanings.similarities(request)?;
        let words = self.index.scores(&Query::new(request, &self.index, view), view);
        let scores = match mode {
            Mode::Meaning => visible_and_near(&similarities, view),
            Mode::Words | Mode::Both => fuse(&words, &similarities, view),
        };
        // The lead of the first hit needs a second one, even if the caller wants only one.
        let best = best(&scores, limit.max(2));
        Ok(hits(&best, limit, stands_out(&best, &words, true)))
    }

    fn by_words(&self, request: &str, limit: usize, view: &View) -> Vec<Hit> {
        let words = self.index.scores(&Query::new(request, &self.index, view), view);
        let best = best(&words.totals, limit.max(2));
        hits(&best, limit, stands_out(&best, &words, false))
    }
}

fn hits(best: &[(usize, f32)], limit: usize, first_stands_out: bool) -> Vec<Hit> {
    let hit = |(rank, (place, score)): (usize, &(usize, f32))| {
        let stands_out = rank == 0 && first_stands_out;
        Hit { place: *place, score: *score, stands_out }
    };
    best.iter().take(limit).enumerate().map(hit).collect()
}

fn visible_and_near(similarities: &[f32], view: &View) -> Vec<f32> {
    let scores =
        (0..).zip(similarities).map(|(place, near)| if view.sees(place) && *near >= NEAR { *near } else { 0.0 });
    scores.collect()
}
