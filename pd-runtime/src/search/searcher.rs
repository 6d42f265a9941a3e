//! The search itself: read the request, score what the caller sees by words and by meaning, choose.

use super::{
    confidence::stands_out,
    document::Document,
    embed::{Embed, EmbedError},
    embeddings::Meanings,
    fusion::{NEAR, fused},
    index::Index,
    query::{Query, beginning},
    rank::best,
    visible_stats::View,
};
use std::sync::Arc;

/// What a search goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// By the words of a request.
    Words,
    /// By its meaning, where there is a model; to measure one.
    Meaning,
    /// By both, where there is a model.
    #[default]
    Both,
}

/// All that a search needs, made once.
#[derive(Debug)]
pub(crate) struct Finder {
    index: Index,
    meanings: Option<Meanings>,
}

/// A document that fits a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Its place among the documents that the index was made of.
    pub(crate) place: usize,
    /// How well it fits; comparable within one answer only.
    pub(crate) score: f32,
    /// Whether it is clearly the one that is meant; the first hit at most is.
    pub(crate) stands_out: bool,
}

impl Finder {
    /// Finds by words.
    pub(crate) fn new(documents: &[Document<'_>]) -> Self {
        Self { index: Index::new(documents), meanings: None }
    }

    /// Finds by words and by meaning. Making one takes as long as the model takes for all documents, and so does a
    /// search for one text: it then belongs on the blocking pool.
    ///
    /// # Errors
    ///
    /// The model's own.
    pub(crate) fn with_model(documents: &[Document<'_>], model: Arc<dyn Embed>) -> Result<Self, EmbedError> {
        Ok(Self { index: Index::new(documents), meanings: Some(Meanings::new(documents, model)?) })
    }

    /// Finds among so many documents, with the same model. Those in other places than these are as they were before. Of what the
    /// model has read it is not asked again; if it fails, words alone find.
    pub(crate) fn again(&self, count: usize, news: &[(usize, Document<'_>)]) -> Self {
        let meanings = self.meanings.as_ref().map(|meanings| meanings.again(count, news)).transpose();
        let meanings = meanings.unwrap_or_else(|error| {
            tracing::warn!(%error, "tools are found by words alone");
            None
        });
        Self { index: self.index.again(count, news), meanings }
    }

    /// Whether it finds by meaning, too.
    pub(crate) fn has_model(&self) -> bool {
        self.meanings.is_some()
    }

    /// The view of whoever sees everything.
    pub(crate) fn everyone(&self) -> &View {
        self.index.everyone()
    }

    /// The view of a caller who sees the documents for which `sees` holds: to such a caller there are no others.
    pub(crate) fn view(&self, sees: impl FnMut(usize) -> bool) -> View {
        self.index.view(sees)
    }

    /// The `limit` documents that fit a request best, best first; of equals the first. If the model fails, words decide.
    pub(crate) fn find(&self, request: &str, limit: usize, view: &View) -> Vec<Hit> {
        self.find_by(Mode::Both, request, limit, view).unwrap_or_else(|error| {
            tracing::warn!(%error, "searching by words alone");
            self.by_words(request, limit, view)
        })
    }

    /// # Errors
    ///
    /// The model's own.
    pub(crate) fn find_by(&self, mode: Mode, request: &str, limit: usize, view: &View) -> Result<Vec<Hit>, EmbedError> {
        let request = beginning(request);
        let Some(meanings) = self.meanings.as_ref().filter(|_| mode != Mode::Words) else {
            return Ok(self.by_words(request, limit, view));
        };
        let near = meanings.of(request)?;
        let words = self.index.scores(&Query::new(request, &self.index, view), view);
        let scores = match mode {
            Mode::Meaning => seen_and_near(&near, view),
            Mode::Words | Mode::Both => fused(&words, &near, view),
        };
        let best = best(&scores, limit.max(2));
        Ok(hits(&best, limit, stands_out(&best, &words, true)))
    }

    fn by_words(&self, request: &str, limit: usize, view: &View) -> Vec<Hit> {
        let words = self.index.scores(&Query::new(request, &self.index, view), view);
        let best = best(&words.of, limit.max(2));
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

fn seen_and_near(near: &[f32], view: &View) -> Vec<f32> {
    let near = (0..).zip(near).map(|(place, near)| if view.sees(place) && *near >= NEAR { *near } else { 0.0 });
    near.collect()
}
