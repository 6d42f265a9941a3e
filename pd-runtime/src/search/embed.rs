//! The interface for embedding models.

use std::error::Error;

/// A model that converts texts to vectors. The closer the meanings of two texts, the closer the
/// directions of their vectors.
///
/// With the feature `semantic`, `MiniLm` is such a model. Another implementation may call a server:
///
/// ```
/// use pd_runtime::search::{Embed, EmbedError};
///
/// /// Distinguishes two directions: about weather, and not about weather.
/// struct Weather;
///
/// impl Embed for Weather {
///     fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
///         let about = |text: &&str| ["rain", "umbrella"].iter().any(|word| text.contains(word));
///         Ok(texts.iter().map(|text| if about(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
///     }
/// }
/// ```
pub trait Embed: Send + Sync {
    /// Returns one vector for each text, in the same order, all of the same length. Magnitudes are
    /// ignored.
    ///
    /// This may take milliseconds for each text and is not async. On an async runtime, search on
    /// its blocking pool (`tokio::task::spawn_blocking`).
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// The error of a model that failed to embed a text.
#[derive(Debug, thiserror::Error)]
#[error("the embedding model failed: {0}")]
pub struct EmbedError(#[source] Box<dyn Error + Send + Sync>);

impl EmbedError {
    /// Wraps the model's error, or a message.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
