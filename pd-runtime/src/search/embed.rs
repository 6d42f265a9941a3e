//! The seam for models that know what words mean.

use std::error::Error;

/// A model that turns texts into vectors: the nearer two texts' meanings, the nearer their directions.
///
/// With the feature `semantic`, `MiniLm` is one. An own one may ask a server:
///
/// ```
/// use pd_runtime::search::{Embed, EmbedError};
///
/// /// Knows two directions: what is about weather, and what is not.
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
    /// One vector for each text, in order, all of the same length. Their magnitudes do not matter.
    ///
    /// This may take milliseconds a text and is not async: on a runtime, search on its blocking pool
    /// (`tokio::task::spawn_blocking`).
    ///
    /// # Errors
    ///
    /// The model's own.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// That a model failed to embed a text.
#[derive(Debug, thiserror::Error)]
#[error("the embedding model failed: {0}")]
pub struct EmbedError(#[source] Box<dyn Error + Send + Sync>);

impl EmbedError {
    /// The model's own error, or what is wrong in words.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}
