//! The embeddings of documents, computed once.

use super::{
    document::{Document, Field},
    embed::{Embed, EmbedError},
    tokenize::{self, Kind},
};
use std::{collections::HashMap, fmt, sync::Arc};

/// The number of texts in one call of the model. The progress is logged after each batch.
const BATCH: usize = 64;

/// The maximum length of a description to embed, in characters. Models read some hundred words, and
/// descriptions begin with the essential ones.
const DESCRIPTION_MAX: usize = 400;

/// The maximum number of argument names to embed.
const ARGUMENTS_MAX: usize = 12;

/// The two texts of a document for the model: a short one and a long one.
type Read = [String; 2];
/// An embedding of unit length.
type Vector = Box<[f32]>;

/// The embeddings of all documents.
pub(super) struct Meanings {
    model: Arc<dyn Embed>,
    /// The texts that the model read for each document.
    read: Box<[Read]>,
    /// Unit vectors, or zero for a document without words.
    vectors: Box<[Vector]>,
}

impl Meanings {
    /// Embeds all documents. This takes about 50 ms for each document with a small model on a CPU.
    ///
    /// A document's vector is the normalized sum of the vectors of its short text (name, summary,
    /// aliases, arguments) and its description.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(super) fn new(documents: &[Document<'_>], model: Arc<dyn Embed>) -> Result<Self, EmbedError> {
        Self::with_known(&HashMap::new(), documents.iter().map(read).collect(), model)
    }

    /// Embeds `count` documents, of which all but those in `news` are unchanged. The model reads
    /// only texts that it has not read before.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(super) fn again(&self, count: usize, news: &[(usize, Document<'_>)]) -> Result<Self, EmbedError> {
        let known = self.read.iter().zip(&self.vectors).collect();
        let mut all = self.read.to_vec();
        all.resize_with(count, Read::default);
        for (place, document) in news {
            if let Some(own) = all.get_mut(*place) {
                *own = read(document);
            }
        }
        Self::with_known(&known, all.into(), self.model.clone())
    }

    fn with_known(
        known: &HashMap<&Read, &Vector>,
        read: Box<[Read]>,
        model: Arc<dyn Embed>,
    ) -> Result<Self, EmbedError> {
        let news: Vec<&str> =
            read.iter().filter(|read| !known.contains_key(read)).flatten().map(String::as_str).collect();
        let parts = embed_in_batches(&*model, &news)?;
        // The sum of two unit vectors has the direction of their mean, so both texts count equally.
        let mut news = parts.chunks(2).map(|parts| unit(sum(parts)));
        let vector = |read| known.get(read).copied().cloned().or_else(|| news.next()).unwrap_or_default();
        let vectors = read.iter().map(vector).collect();
        Ok(Self { model, read, vectors })
    }

    /// Returns the cosine similarity of each document and a request, from -1 to 1.
    pub(super) fn similarities(&self, request: &str) -> Result<Vec<f32>, EmbedError> {
        let request = unit(sum(&embed(&*self.model, &[request])?));
        Ok(self
            .vectors
            .iter()
            .map(|vector| vector.iter().zip(&request).map(|(one, other)| one * other).sum())
            .collect())
    }
}

impl fmt::Debug for Meanings {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Meanings").field("documents", &self.vectors.len()).finish_non_exhaustive()
    }
}

fn embed_in_batches(model: &dyn Embed, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        vectors.extend(embed(model, batch)?);
        tracing::info!(tools = vectors.len() / 2, of = texts.len() / 2, "embedding tools");
    }
    Ok(vectors)
}

/// Calls the model. Returns one unit vector for each text, or an error if their number or lengths
/// are wrong.
fn embed(model: &dyn Embed, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let vectors = model.embed(texts)?;
    let width = vectors.first().map_or(0, Vec::len);
    if vectors.len() != texts.len() || vectors.iter().any(|vector| vector.len() != width) {
        let counted = format!(
            "the model returned {} vectors for {} texts, or vectors of different lengths",
            vectors.len(),
            texts.len()
        );
        return Err(EmbedError::new(counted));
    }
    Ok(vectors.into_iter().map(|vector| unit(vector.into())).collect())
}

fn unit(mut vector: Vector) -> Vector {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    // A vector with NaN or infinity, or without direction, becomes zero: its cosine with every
    // other is 0.
    let scale = if length.is_normal() { length.recip() } else { 0.0 };
    vector.iter_mut().for_each(|part| *part = if scale == 0.0 { 0.0 } else { *part * scale });
    vector
}

fn sum(vectors: &[Vector]) -> Vector {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        sum.iter_mut().zip(vector).for_each(|(sum, part)| *sum += part);
    }
    sum
}

fn read(document: &Document<'_>) -> Read {
    [brief(document), long(document)]
}

/// Returns the short text: what the tool is and what it takes.
fn brief(document: &Document<'_>) -> String {
    let texts = document.texts_of(Field::Summary).chain(document.texts_of(Field::Alias)).map(str::to_owned);
    let arguments: Vec<String> = document.texts_of(Field::Argument).take(ARGUMENTS_MAX).map(spaced).collect();
    let parts: Vec<String> = texts.chain([arguments.join(", ")]).filter(|part| !part.is_empty()).collect();
    format!("{}: {}", name(document), parts.join(". "))
}

/// Returns the long text: the beginning of the description.
fn long(document: &Document<'_>) -> String {
    let description: String =
        document.texts_of(Field::Description).flat_map(str::chars).take(DESCRIPTION_MAX).collect();
    if description.is_empty() { name(document) } else { description }
}

fn name(document: &Document<'_>) -> String {
    document.texts_of(Field::Name).map(spaced).collect()
}

/// Splits an identifier into words.
fn spaced(identifier: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    tokenize::each(identifier, &mut |word, kind| {
        if kind == Kind::Plain {
            words.push(word.to_owned());
        }
    });
    words.join(" ")
}
