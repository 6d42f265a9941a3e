//! MiniLM: a small sentence-embedding model on the CPU, with weights from disk.

#[cfg(feature = "cli")]
use super::weights::exists;
use super::{
    embedder::{EmbedError, Embedder},
    weights::{LoadError, cached, malformed, read},
};
use crate::digest::Digest;
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use std::{error::Error, fmt, path::Path};
use tokenizers::{Encoding, PaddingParams, Tokenizer, TruncationParams};

/// The maximum length of a text that the model was trained on, in tokens.
const TOKENS_MAX: usize = 256;

/// The number of texts per forward pass. Texts are padded to the longest one of their batch, so
/// batches are formed in order of length.
const BATCH: usize = 16;

const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";

/// A BERT model for sentences, such as `sentence-transformers/all-MiniLM-L6-v2`: 90 MB, about 15 ms
/// per request on one CPU core.
///
/// ```no_run
/// use pd_runtime::{prelude::*, search::MiniLm};
/// use std::sync::Arc;
///
/// # fn find(registry: Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// let model = MiniLm::load("models/all-MiniLM-L6-v2")?;
/// let search = registry.search_with(Arc::new(model))?;
/// let found = search.find("who touched this line last?", 5);
/// # Ok(())
/// # }
/// ```
pub struct MiniLm {
    model: BertModel,
    tokenizer: Tokenizer,
    digest: Digest,
}

impl MiniLm {
    /// The name of the model on the Hugging Face hub for which this type was made.
    pub const REPOSITORY: &'static str = "sentence-transformers/all-MiniLM-L6-v2";

    /// Loads a model from a directory with `config.json`, `tokenizer.json` and `model.safetensors`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is missing or malformed.
    pub fn load(directory: impl AsRef<Path>) -> std::result::Result<Self, LoadError> {
        let directory = directory.as_ref();
        let config = read(directory, CONFIG)?;
        let words = read(directory, TOKENIZER)?;
        let weights = read(directory, WEIGHTS)?;
        // Of all three files: another tokenizer also changes the vectors.
        let digests = [&config, &words, &weights].map(|file| *Digest::from_bytes(file).bytes());
        let config: Config =
            serde_json::from_slice(&config).map_err(|error| malformed(directory, CONFIG, error))?;
        let tokenizer = tokenizer(&words, config.pad_token_id)
            .map_err(|error| malformed(directory, TOKENIZER, error))?;
        let model = bert(weights, &config).map_err(|error| malformed(directory, WEIGHTS, error))?;
        Ok(Self {
            model,
            tokenizer,
            digest: Digest::from_bytes(digests.as_flattened()),
        })
    }

    /// Checks that a directory has the files of a model, without reading them.
    ///
    /// # Errors
    ///
    /// Returns an error for the first file that is not there.
    #[cfg(feature = "cli")]
    pub(crate) fn check(directory: &Path) -> std::result::Result<(), LoadError> {
        [CONFIG, TOKENIZER, WEIGHTS]
            .into_iter()
            .try_for_each(|file| exists(directory, file))
    }

    /// Loads a model from the local cache of Hugging Face's tools by its name on the hub, for
    /// example [`MiniLm::REPOSITORY`]. Nothing is downloaded.
    ///
    /// # Errors
    ///
    /// Returns an error if the cache does not have the model, or if a file is malformed.
    pub fn from_hub_cache(repository: &str) -> std::result::Result<Self, LoadError> {
        Self::load(cached(repository)?)
    }

    /// Returns a digest of the model's files: the identity for a
    /// [`StoredEmbedder`](super::StoredEmbedder).
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Computes the mean of the model's token states (mean pooling), without padding.
    fn mean_pooling(&self, encodings: &[Encoding]) -> Result<Vec<Vec<f32>>> {
        let tensor = |of: fn(&Encoding) -> &[u32]| {
            let rows: Vec<Vec<u32>> = encodings
                .iter()
                .map(|encoding| of(encoding).to_vec())
                .collect();
            Tensor::new(rows, &Device::Cpu)
        };
        let tokens = tensor(Encoding::get_ids)?;
        let mask = tensor(Encoding::get_attention_mask)?;
        // The token types of BERT distinguish two sentences, and a text is one.
        let states = self
            .model
            .forward(&tokens, &tokens.zeros_like()?, Some(&mask))?;
        // Padding tokens have mask 0, so they add nothing to the sum or to the count.
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        states
            .broadcast_mul(&mask)?
            .sum(1)?
            .broadcast_div(&mask.sum(1)?)?
            .to_vec2()
    }
}

impl Embedder for MiniLm {
    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let mut ordered: Vec<(usize, &str)> = texts.iter().copied().enumerate().collect();
        // Bytes are a cheap measure of tokens, and the order only affects the padding.
        ordered.sort_by_key(|(_, text)| text.len());
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in ordered.chunks(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let encodings = self
                .tokenizer
                .encode_batch(texts, true)
                .map_err(EmbedError::new)?;
            let pooled = self.mean_pooling(&encodings).map_err(EmbedError::new)?;
            vectors.extend(batch.iter().map(|(place, _)| *place).zip(pooled));
        }
        // Back to the order of the caller.
        vectors.sort_by_key(|(place, _)| *place);
        Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
    }
}

impl fmt::Debug for MiniLm {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("MiniLm").finish_non_exhaustive()
    }
}

fn tokenizer(
    json: &[u8],
    pad: usize,
) -> std::result::Result<Tokenizer, Box<dyn Error + Send + Sync>> {
    let mut tokenizer = Tokenizer::from_bytes(json)?;
    let padding = PaddingParams {
        pad_id: u32::try_from(pad)?,
        ..PaddingParams::default()
    };
    tokenizer.with_padding(Some(padding));
    tokenizer.with_truncation(Some(TruncationParams {
        max_length: TOKENS_MAX,
        ..TruncationParams::default()
    }))?;
    Ok(tokenizer)
}

fn bert(weights: Vec<u8>, config: &Config) -> Result<BertModel> {
    BertModel::load(
        VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?,
        config,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `just semantic` sets it.
    fn model() -> std::result::Result<Option<MiniLm>, LoadError> {
        let Some(directory) = std::env::var_os("PD_MODEL") else {
            println!(
                "skipped: set PD_MODEL to the folder of all-MiniLM-L6-v2, or run `just semantic`"
            );
            return Ok(None);
        };
        MiniLm::load(directory).map(Some)
    }

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        let dot = |one: &[f32], other: &[f32]| {
            one.iter()
                .zip(other)
                .map(|(one, other)| one * other)
                .sum::<f32>()
        };
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    }

    /// The expected values are from the documentation of sentence-transformers for this model.
    #[test]
    fn sentences_are_as_near_as_its_makers_say() -> std::result::Result<(), Box<dyn Error>> {
        let Some(model) = model()? else { return Ok(()) };
        let texts = [
            "The weather is lovely today.",
            "It's so sunny outside!",
            "He drove to the stadium.",
        ];
        let vectors = model.embed(&texts)?;
        let [lovely, sunny, stadium] = vectors.as_slice() else {
            return Err("three vectors".into());
        };
        for (one, other, near) in [
            (lovely, sunny, 0.6660),
            (lovely, stadium, 0.1046),
            (sunny, stadium, 0.1411),
        ] {
            assert!(
                (cosine(one, other) - near).abs() < 0.001,
                "{} is not {near}",
                cosine(one, other)
            );
        }
        Ok(())
    }

    /// Texts of one batch are padded to the longest. The padding must not affect the result.
    #[test]
    fn a_text_means_the_same_in_any_company() -> std::result::Result<(), Box<dyn Error>> {
        let Some(model) = model()? else { return Ok(()) };
        let long = "list the open issues of a repository ".repeat(400);
        let together = model.embed(&[&long, "weather", ""])?;
        let alone = model.embed(&["weather"])?;
        let both = together.get(1).zip(alone.first());
        assert!(both.is_some_and(|(one, other)| cosine(one, other) > 0.9999));
        assert_eq!(model.embed(&[])?, Vec::<Vec<f32>>::new());
        Ok(())
    }

    #[test]
    fn a_wrong_directory_is_named() {
        let error = MiniLm::load("/nowhere").map_err(|error| error.to_string());
        assert!(
            error.is_err_and(|error| error.starts_with("/nowhere/config.json cannot be read: "))
        );
        let error = MiniLm::from_hub_cache("nobody/nothing").map_err(|error| error.to_string());
        assert!(error.is_err_and(|error| error.contains("hf download nobody/nothing")));
    }
}
