//! The search itself: parses the request, scores the visible documents by words and by meaning, and
//! selects the best.

use super::{
    best_hits::best,
    confidence::stands_out,
    document::ToolDocument,
    embedder::{EmbedError, Embedder},
    embeddings::EmbeddingIndex,
    explain::{self, HitExplanation},
    fusion::{NEAR, fuse_scores},
    index::WordIndex,
    query::{SearchQuery, beginning},
    rank::DocumentScores,
    steps,
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

/// The least closeness of the best document of a step. Measured in the example `retrieval`: lower
/// values split requests for one tool.
const CLOSE: f32 = 0.8;

/// The index and the embeddings of a search.
#[derive(Debug)]
pub(crate) struct ToolSearcher {
    index: Arc<WordIndex>,
    meanings: Option<EmbeddingIndex>,
}

/// A document that matches a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DocumentHit {
    /// The index of the document in the indexed sequence.
    pub(crate) place: usize,
    /// The score of the match. Scores are comparable within one answer only.
    pub(crate) score: f32,
    /// Whether this is very probably the intended document. Of the hits of a request, or of one of
    /// its steps, at most the first has this flag.
    pub(crate) stands_out: bool,
    /// The step that this is the best hit for, if the request has several.
    pub(crate) step: Option<usize>,
}

impl ToolSearcher {
    /// Creates a search by words.
    pub(crate) fn new(documents: &[ToolDocument<'_>]) -> Self {
        Self {
            index: Arc::new(WordIndex::new(documents)),
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
            index: Arc::new(WordIndex::new(documents)),
            meanings: Some(EmbeddingIndex::new(documents, model)?),
        })
    }

    /// Returns a search by words and by meaning over the same documents. The vectors of equal texts
    /// in `known` are reused.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(crate) fn with_meanings(
        &self,
        documents: &[ToolDocument<'_>],
        model: Arc<dyn Embedder>,
        known: Option<&Self>,
    ) -> Result<Self, EmbedError> {
        let known = known.and_then(|known| known.meanings.as_ref());
        Ok(Self {
            index: self.index.clone(),
            meanings: Some(EmbeddingIndex::reusing(known, documents, model)?),
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
            index: Arc::new(self.index.update(count, changed)),
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
                self.find_by(SearchMode::Words, request, limit, view)
                    .unwrap_or_default()
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
        let steps = steps::split(request);
        let requests: Vec<&str> = [request]
            .into_iter()
            .chain(steps.iter().map(String::as_str))
            .collect();
        // The model comes first: if it fails, no scores of words were computed in vain.
        let near = match &self.meanings {
            Some(meanings) if mode != SearchMode::Words => meanings
                .similarities(&requests)?
                .into_iter()
                .map(Some)
                .collect(),
            _ => vec![None; requests.len()],
        };
        let mut scored = requests
            .iter()
            .zip(near)
            .map(|(request, near)| self.score(mode, request, near.as_deref(), view));
        let whole = scored.next().unwrap_or_default();
        Ok(merge(&scored.collect::<Vec<_>>(), &whole, limit))
    }

    /// Scores all documents for one request. `near` has their similarities, if there is a model.
    fn score(
        &self,
        mode: SearchMode,
        request: &str,
        near: Option<&[f32]>,
        view: &VisibleStats,
    ) -> RequestScores {
        let mut query = SearchQuery::new(request, &self.index, view);
        query.has_meaning = near.is_some();
        let words = self.index.scores(&query, view);
        let by_document = match near {
            None => words.by_document.clone(),
            Some(near) if mode == SearchMode::Meaning => visible_similarities(near, view),
            Some(near) => fuse_scores(&words, near, view),
        };
        RequestScores {
            by_document,
            is_fused: near.is_some(),
            words,
        }
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
            .and_then(|meanings| meanings.similarities(&[beginning(request)]).ok()?.pop());
        explain::explain(request, places, &self.index, near.as_deref(), view)
    }
}

/// The scores of all documents for one request.
#[derive(Default)]
struct RequestScores {
    by_document: Vec<f32>,
    words: DocumentScores,
    is_fused: bool,
}

impl RequestScores {
    /// Returns whether a document matches the request closely. A step that none matches is no step,
    /// but the words of another one.
    fn is_close(&self) -> bool {
        best(&self.by_document, 1)
            .first()
            .is_some_and(|(place, _)| self.words.closeness(*place) >= CLOSE)
    }

    fn best(&self, limit: usize) -> Vec<DocumentHit> {
        // At least two hits, because `stands_out` needs the runner-up even for a limit of 1.
        let best = best(&self.by_document, limit.max(2));
        let first_stands_out = stands_out(&best, &self.words, self.is_fused);
        best.iter()
            .take(limit)
            .enumerate()
            .map(|(rank, (place, score))| DocumentHit {
                place: *place,
                score: *score,
                stands_out: rank == 0 && first_stands_out,
                step: None,
            })
            .collect()
    }
}

/// Returns the hits for a request: the best of each step, the next best of each step, and so on. A
/// request without steps, or with the same best hit for all, has the hits of the whole.
fn merge(steps: &[RequestScores], whole: &RequestScores, limit: usize) -> Vec<DocumentHit> {
    let mut leaders: Vec<DocumentHit> = Vec::new();
    let by_step: Vec<Vec<DocumentHit>> = steps.iter().map(|step| step.best(limit)).collect();
    for hit in by_step.iter().filter_map(|hits| hits.first()) {
        if !leaders.iter().any(|known| known.place == hit.place) {
            leaders.push(DocumentHit {
                step: Some(leaders.len()),
                ..*hit
            });
        }
    }
    let all = whole.best(limit);
    if leaders.len() < 2 || !steps.iter().all(RequestScores::is_close) {
        return all;
    }
    let ranks = by_step.iter().map(Vec::len).max().unwrap_or(0);
    let next = (1..ranks).flat_map(|rank| by_step.iter().filter_map(move |hits| hits.get(rank)));
    for hit in next.chain(&all) {
        if leaders.len() >= limit {
            break;
        }
        if !leaders.iter().any(|known| known.place == hit.place) {
            leaders.push(DocumentHit {
                stands_out: false,
                step: None,
                ..*hit
            });
        }
    }
    leaders.truncate(limit);
    leaders
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
