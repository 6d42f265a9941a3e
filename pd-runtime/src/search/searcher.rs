//! The search itself: parses the request, scores the visible documents by words and by meaning, and
//! selects the best.

use super::{
    confidence::stands_out,
    document::ToolDocument,
    embedder::{EmbedError, Embedder},
    embeddings::EmbeddingIndex,
    explain::{self, HitExplanation},
    fusion::{NEAR, fuse_scores},
    index::WordIndex,
    query::{SearchQuery, beginning},
    rank::best,
    visible_stats::VisibleStats,
};
use std::sync::Arc;

/// The basis of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SearchMode {
    /// The words of the request.
    Words,
    /// The meaning of the request, if there is a model. Used to evaluate models.
    Meaning,
    /// Both, if there is a model.
    #[default]
    Both,
}

/// The index and the embeddings of a search.
#[derive(Debug)]
pub(crate) struct ToolSearcher {
    index: WordIndex,
    meanings: Option<EmbeddingIndex>,
}

/// A document that matches a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DocumentHit {
    /// The index of the document in the indexed sequence.
    pub(crate) place: usize,
    /// The score of the match. Scores are comparable within one answer only.
    pub(crate) score: f32,
    /// Whether this is very probably the intended document. At most the first hit has this flag.
    pub(crate) stands_out: bool,
}

impl ToolSearcher {
    /// Creates a search by words.
    pub(crate) fn new(documents: &[ToolDocument<'_>]) -> Self {
        Self {
            index: WordIndex::new(documents),
            meanings: None,
        }
    }

    /// Creates a search by words and by meaning. The call takes as long as the model needs for all
    /// documents. A search takes as long as the model needs for one text, so it belongs on the
    /// blocking pool.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(crate) fn with_model(
        documents: &[ToolDocument<'_>],
        model: Arc<dyn Embedder>,
    ) -> Result<Self, EmbedError> {
        Ok(Self {
            index: WordIndex::new(documents),
            meanings: Some(EmbeddingIndex::new(documents, model)?),
        })
    }

    /// Returns the search after a change, with the same model. `changed` has the changed documents
    /// by index; all others are reused. The model embeds only new texts. If it fails, the search
    /// uses words only.
    pub(crate) fn update(&self, count: usize, changed: &[(usize, ToolDocument<'_>)]) -> Self {
        let meanings = self
            .meanings
            .as_ref()
            .map(|meanings| meanings.update(count, changed))
            .transpose();
        let meanings = meanings.unwrap_or_else(|error| {
            tracing::warn!(%error, "the embedding model failed; searches use words only");
            None
        });
        Self {
            index: self.index.update(count, changed),
            meanings,
        }
    }

    /// Returns whether the search also uses meaning.
    pub(crate) fn has_model(&self) -> bool {
        self.meanings.is_some()
    }

    pub(super) fn word_index(&self) -> &WordIndex {
        &self.index
    }

    /// Returns the view of callers that see all documents.
    pub(crate) fn all_visible(&self) -> &VisibleStats {
        self.index.all_visible()
    }

    /// Returns the view of a caller that sees only the documents that `sees` accepts. For this
    /// caller, no others exist.
    pub(crate) fn view(&self, sees: impl FnMut(usize) -> bool) -> VisibleStats {
        self.index.view(sees)
    }

    /// Returns the `limit` best documents, best first, and the earlier one first for equal scores.
    /// If the model fails, words decide.
    pub(crate) fn find(
        &self,
        request: &str,
        limit: usize,
        view: &VisibleStats,
    ) -> Vec<DocumentHit> {
        self.find_by(SearchMode::Both, request, limit, view)
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "the embedding model failed; this search uses words only");
                self.by_words(request, limit, view)
            })
    }

    /// Searches by the given mode.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(crate) fn find_by(
        &self,
        mode: SearchMode,
        request: &str,
        limit: usize,
        view: &VisibleStats,
    ) -> Result<Vec<DocumentHit>, EmbedError> {
        let request = beginning(request);
        let Some(meanings) = self.meanings.as_ref().filter(|_| mode != SearchMode::Words) else {
            return Ok(self.by_words(request, limit, view));
        };
        // The model comes first: if it fails, no scores of words were computed in vain.
        let near = meanings.similarities(request)?;
        let words = self
            .index
            .scores(&SearchQuery::new(request, &self.index, view), view);
        let scores = match mode {
            SearchMode::Meaning => visible_similarities(&near, view),
            SearchMode::Words | SearchMode::Both => fuse_scores(&words, &near, view),
        };
        // At least two hits, because `stands_out` needs the runner-up even for a limit of 1.
        let best = best(&scores, limit.max(2));
        Ok(hits(&best, limit, stands_out(&best, &words, true)))
    }

    /// Explains the scores that [`find`](Self::find) gives the documents at these places, in their
    /// order. This takes longer than a search.
    pub(crate) fn explain(
        &self,
        request: &str,
        places: &[usize],
        view: &VisibleStats,
    ) -> Vec<HitExplanation> {
        let near = self
            .meanings
            .as_ref()
            // `find` also goes by words alone if the model fails.
            .and_then(|meanings| meanings.similarities(beginning(request)).ok());
        explain::explain(request, places, &self.index, near.as_deref(), view)
    }

    fn by_words(&self, request: &str, limit: usize, view: &VisibleStats) -> Vec<DocumentHit> {
        let words = self
            .index
            .scores(&SearchQuery::new(request, &self.index, view), view);
        let best = best(&words.by_document, limit.max(2));
        hits(&best, limit, stands_out(&best, &words, false))
    }
}

fn hits(best: &[(usize, f32)], limit: usize, first_stands_out: bool) -> Vec<DocumentHit> {
    best.iter()
        .take(limit)
        .enumerate()
        .map(|(rank, (place, score))| {
            let stands_out = rank == 0 && first_stands_out;
            DocumentHit {
                place: *place,
                score: *score,
                stands_out,
            }
        })
        .collect()
}

fn visible_similarities(near: &[f32], view: &VisibleStats) -> Vec<f32> {
    let near = (0..).zip(near).map(|(place, near)| {
        // A score of 0 leaves the document out of the hits.
        if view.sees(place) && *near >= NEAR {
            *near
        } else {
            0.0
        }
    });
    near.collect()
}
