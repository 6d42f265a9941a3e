//! The interface for embedding models.

use std::error::Error;

/// A model that converts texts to vectors. The closer two meanings are, the closer the directions
/// of the vectors.
///
/// With the feature `semantic`, `MiniLm` implements this trait. Your own implementation may call a
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
///         Ok(texts.iter().map(|text| if about(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
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
}

/// An error of an embedding model.
#[derive(Debug, thiserror::Error)]
#[error("the embedding model failed: {0}")]
pub struct EmbedError(#[source] Box<dyn Error + Send + Sync>);

impl EmbedError {
    /// Wraps the model's own error or a message.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
