//! The interface for embedding models.

use std::error::Error;

/// The number of texts per call of the model. The progress is logged after each batch.
const BATCH: usize = 64;

/// A model that converts texts to vectors. The closer two meanings are, the closer the directions
/// of the vectors.
///
/// With the feature `semantic`, `MiniLm` implements this trait. Another implementation may call a
/// server:
///
/// ```
/// use pd_runtime::search::{EmbedError, Embedder};
///
/// /// Knows two directions: weather, and everything else.
/// struct Weather;
///
/// impl Embedder for Weather {
///     fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
///         let about = |text: &&str| ["rain", "umbrella"].iter().any(|word| text.contains(word));
///         let vector = |text| if about(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
///         Ok(texts.iter().map(vector).collect())
///     }
/// }
/// ```
pub trait Embedder: Send + Sync {
    /// Returns one vector per text, in order and all of the same length. Their magnitudes do not
    /// matter.
    ///
    /// The call may take milliseconds per text and is not async. On an async runtime, search on the
    /// blocking pool (`tokio::task::spawn_blocking`).
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns the vectors of texts about tools, as [`embed`](Self::embed) does. The texts of all
    /// tools come in one call. By default, they are embedded in batches of 64, and the progress is
    /// logged with `tracing`.
    ///
    /// A model that embeds documents otherwise than requests implements this method, too.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        in_batches(texts, log_progress, |batch| self.embed(batch))
    }
}

/// Logs how many of all texts are embedded.
pub(super) fn log_progress(texts: usize, of: usize) {
    tracing::info!(texts, of, "embedding texts about tools");
}

/// Embeds texts in batches. If there are several, `report` receives the number of embedded texts
/// and of all texts after each batch.
///
/// # Errors
///
/// Returns the errors of `embed` and of [`check_vectors`].
pub(super) fn in_batches(
    texts: &[&str],
    report: impl Fn(usize, usize),
    mut embed: impl FnMut(&[&str]) -> Result<Vec<Vec<f32>>, EmbedError>,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let embedded = embed(batch)?;
        // Checked for each batch: a vector that is missing would shift the vectors of all later
        // texts.
        check_vectors(&embedded, batch.len())?;
        vectors.extend(embedded);
        if texts.len() > BATCH {
            report(vectors.len(), texts.len());
        }
    }
    Ok(vectors)
}

/// Checks that a model returned one vector of the same length for each text.
///
/// # Errors
///
/// Returns an error if it did not.
pub(super) fn check_vectors(vectors: &[Vec<f32>], texts: usize) -> Result<(), EmbedError> {
    let width = vectors.first().map_or(0, Vec::len);
    if vectors.len() == texts && vectors.iter().all(|vector| vector.len() == width) {
        return Ok(());
    }
    let count = vectors.len();
    Err(EmbedError::new(format!(
        "it returned {count} vectors for {texts} texts, or vectors of different lengths"
    )))
}

/// An error of an embedding model.
#[derive(Debug, thiserror::Error)]
#[error("the embedding model failed: {0}")]
pub struct EmbedError(#[source] Box<dyn Error + Send + Sync>);

impl EmbedError {
    /// Wraps the error of the model, or a message.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
