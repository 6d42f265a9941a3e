//! What documents mean, as vectors of a model, made once.

use super::{
    document::{Document, Field},
    embed::{Embed, EmbedError},
    tokenize::{self, Kind},
};
use std::{collections::HashMap, fmt, sync::Arc};

/// How many texts a model gets at once; after each such batch the progress is told.
const BATCH: usize = 64;

/// How much of a description is embedded, in characters: models read some hundred words, and what a tool is comes first.
const DESCRIPTION_MAX: usize = 400;

/// How many arguments' names are embedded.
const ARGUMENTS_MAX: usize = 12;

/// What a model reads of a document: in brief, and at length.
type Read = [String; 2];
/// A meaning, of unit length.
type Vector = Box<[f32]>;

/// The meaning of each document.
pub(super) struct Meanings {
    model: Arc<dyn Embed>,
    /// What the model read of each.
    read: Box<[Read]>,
    /// Of unit length, or zero for a document without words.
    vectors: Box<[Vector]>,
}

impl Meanings {
    /// Asks the model for all documents' meanings, which may take long: about 50 ms a document for a small model on a CPU.
    ///
    /// A document's meaning is that of its name, summary and arguments and that of its description, in equal parts.
    ///
    /// # Errors
    ///
    /// The model's own.
    pub(super) fn new(documents: &[Document<'_>], model: Arc<dyn Embed>) -> Result<Self, EmbedError> {
        Self::beside(&HashMap::new(), documents.iter().map(read).collect(), model)
    }

    /// The meanings of so many documents, of which those in other places than these are as they were before. The model is asked
    /// only for those of which it has not read the same.
    ///
    /// # Errors
    ///
    /// The model's own.
    pub(super) fn again(&self, count: usize, news: &[(usize, Document<'_>)]) -> Result<Self, EmbedError> {
        let known = self.read.iter().zip(&self.vectors).collect();
        let mut all = self.read.to_vec();
        all.resize_with(count, Read::default);
        for (place, document) in news {
            if let Some(own) = all.get_mut(*place) {
                *own = read(document);
            }
        }
        Self::beside(&known, all.into(), self.model.clone())
    }

    fn beside(known: &HashMap<&Read, &Vector>, read: Box<[Read]>, model: Arc<dyn Embed>) -> Result<Self, EmbedError> {
        let news: Vec<&str> =
            read.iter().filter(|read| !known.contains_key(read)).flatten().map(String::as_str).collect();
        let parts = in_batches(&*model, &news)?;
        let mut news = parts.chunks(2).map(|parts| unit(sum(parts)));
        let vector = |read| known.get(read).copied().cloned().or_else(|| news.next()).unwrap_or_default();
        let vectors = read.iter().map(vector).collect();
        Ok(Self { model, read, vectors })
    }

    /// How near each document's meaning is to a request's: the cosine, from -1 to 1.
    pub(super) fn of(&self, request: &str) -> Result<Vec<f32>, EmbedError> {
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

fn in_batches(model: &dyn Embed, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        vectors.extend(embed(model, batch)?);
        tracing::info!(tools = vectors.len() / 2, of = texts.len() / 2, "embedding tools");
    }
    Ok(vectors)
}

/// The model's vectors, of unit length and as many as there are texts.
fn embed(model: &dyn Embed, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let vectors = model.embed(texts)?;
    let width = vectors.first().map_or(0, Vec::len);
    if vectors.len() != texts.len() || vectors.iter().any(|vector| vector.len() != width) {
        let counted =
            format!("it gave {} vectors for {} texts, or vectors of several lengths", vectors.len(), texts.len());
        return Err(EmbedError::new(counted));
    }
    Ok(vectors.into_iter().map(|vector| unit(vector.into())).collect())
}

fn unit(mut vector: Vector) -> Vector {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    // What is no number is near to nothing.
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

/// What a tool is and what it takes, in one line.
fn brief(document: &Document<'_>) -> String {
    let told = document.of(Field::Summary).chain(document.of(Field::Alias)).map(str::to_owned);
    let arguments: Vec<String> = document.of(Field::Argument).take(ARGUMENTS_MAX).map(spaced).collect();
    let parts: Vec<String> = told.chain([arguments.join(", ")]).filter(|part| !part.is_empty()).collect();
    format!("{}: {}", name(document), parts.join(". "))
}

/// What is said of it.
fn long(document: &Document<'_>) -> String {
    let description: String = document.of(Field::Description).flat_map(str::chars).take(DESCRIPTION_MAX).collect();
    if description.is_empty() { name(document) } else { description }
}

fn name(document: &Document<'_>) -> String {
    document.of(Field::Name).map(spaced).collect()
}

/// An identifier as words.
fn spaced(identifier: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    tokenize::each(identifier, &mut |word, kind| {
        if kind == Kind::Plain {
            found.push(word.to_owned());
        }
    });
    found.join(" ")
}
