//! The embeddings of documents, computed once per text.

use super::{
    document::{DocumentField, ToolDocument},
    embedder::{EmbedError, Embedder, check_vectors},
    tokenize::{self, WordKind},
};
use std::{collections::HashMap, fmt, sync::Arc};

/// The limit on the embedded part of a description, in characters. Models read some hundred words,
/// and descriptions begin with the purpose.
const DESCRIPTION_MAX: usize = 400;

/// The limit on the number of embedded argument names.
const ARGUMENTS_MAX: usize = 12;

/// The two texts of a document that a model embeds: a brief one and a long one.
type EmbeddedTexts = [String; 2];
/// An embedding of unit length.
type UnitVector = Box<[f32]>;

/// The embeddings of all documents.
pub(super) struct EmbeddingIndex {
    model: Arc<dyn Embedder>,
    /// The texts that the model embedded, by document.
    read: Box<[EmbeddedTexts]>,
    /// The embedding of each document: of unit length, or zero for a document without words.
    vectors: Box<[UnitVector]>,
}

impl EmbeddingIndex {
    /// Embeds all documents. A small model on a CPU needs about 50 ms per document.
    ///
    /// The embedding of a document has two equal parts: one for its name, summary and arguments,
    /// and one for its description.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(super) fn new(
        documents: &[ToolDocument<'_>],
        model: Arc<dyn Embedder>,
    ) -> Result<Self, EmbedError> {
        Self::reusing(None, documents, model)
    }

    /// Embeds all documents as [`new`](Self::new) does, but takes over the vectors of texts that
    /// `known` has.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(super) fn reusing(
        known: Option<&Self>,
        documents: &[ToolDocument<'_>],
        model: Arc<dyn Embedder>,
    ) -> Result<Self, EmbedError> {
        let known = known.map_or_else(HashMap::new, Self::by_text);
        Self::with_known(&known, documents.iter().map(read).collect(), model)
    }

    fn by_text(&self) -> HashMap<&EmbeddedTexts, &UnitVector> {
        self.read.iter().zip(&self.vectors).collect()
    }

    /// Returns the embeddings after a change. `changed` has the changed documents by index; all
    /// others are reused. The model embeds only texts that it has not embedded before.
    ///
    /// # Errors
    ///
    /// Returns the error of the model.
    pub(super) fn update(
        &self,
        count: usize,
        changed: &[(usize, ToolDocument<'_>)],
    ) -> Result<Self, EmbedError> {
        let known = self.by_text();
        let mut all = self.read.to_vec();
        all.resize_with(count, EmbeddedTexts::default);
        for (place, document) in changed {
            if let Some(own) = all.get_mut(*place) {
                *own = read(document);
            }
        }
        Self::with_known(&known, all.into(), self.model.clone())
    }

    fn with_known(
        known: &HashMap<&EmbeddedTexts, &UnitVector>,
        read: Box<[EmbeddedTexts]>,
        model: Arc<dyn Embedder>,
    ) -> Result<Self, EmbedError> {
        let changed: Vec<&str> = read
            .iter()
            .filter(|read| !known.contains_key(read))
            .flatten()
            .map(String::as_str)
            .collect();
        let parts = unit_vectors(model.embed_documents(&changed)?, changed.len())?;
        // Each document has two texts, so two neighboring vectors are one document's.
        let mut changed = parts.chunks(2).map(|parts| unit(sum(parts)));
        // `changed` has vectors for exactly the documents that are not known, in the same order.
        let vectors = read
            .iter()
            .map(|read| {
                known
                    .get(read)
                    .copied()
                    .cloned()
                    .or_else(|| changed.next())
                    .unwrap_or_default()
            })
            .collect();
        Ok(Self {
            model,
            read,
            vectors,
        })
    }

    /// Returns the cosine similarity of each document with each request, from -1 to 1. The model
    /// embeds all requests at once.
    pub(super) fn similarities(&self, requests: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let requests = unit_vectors(self.model.embed(requests)?, requests.len())?;
        // All vectors have unit length, so the dot product is the cosine.
        let cosine = |one: &[f32], other: &[f32]| -> f32 {
            one.iter().zip(other).map(|(one, other)| one * other).sum()
        };
        Ok(requests
            .iter()
            .map(|request| {
                self.vectors
                    .iter()
                    .map(|vector| cosine(vector, request))
                    .collect()
            })
            .collect())
    }
}

impl fmt::Debug for EmbeddingIndex {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("EmbeddingIndex")
            .field("documents", &self.vectors.len())
            .finish_non_exhaustive()
    }
}

fn unit_vectors(vectors: Vec<Vec<f32>>, texts: usize) -> Result<Vec<UnitVector>, EmbedError> {
    check_vectors(&vectors, texts)?;
    Ok(vectors
        .into_iter()
        .map(|vector| unit(vector.into()))
        .collect())
}

fn unit(mut vector: UnitVector) -> UnitVector {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    // A zero, infinite or NaN length has no direction. A zero vector is similar to nothing.
    let scale = if length.is_normal() {
        length.recip()
    } else {
        0.0
    };
    vector
        .iter_mut()
        .for_each(|part| *part = if scale == 0.0 { 0.0 } else { *part * scale });
    vector
}

fn sum(vectors: &[UnitVector]) -> UnitVector {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        sum.iter_mut()
            .zip(vector)
            .for_each(|(sum, part)| *sum += part);
    }
    sum
}

fn read(document: &ToolDocument<'_>) -> EmbeddedTexts {
    [brief(document), description_start(document)]
}

/// Renders the name, summary, aliases and arguments of a tool on one line.
fn brief(document: &ToolDocument<'_>) -> String {
    let lead = document
        .texts_of(DocumentField::Summary)
        .chain(document.texts_of(DocumentField::Alias))
        .map(str::to_owned);
    let arguments: Vec<String> = document
        .texts_of(DocumentField::Argument)
        .take(ARGUMENTS_MAX)
        .map(split_identifier)
        .collect();
    let parts: Vec<String> = lead
        .chain([arguments.join(", ")])
        .filter(|part| !part.is_empty())
        .collect();
    format!("{}: {}", name(document), parts.join(". "))
}

/// Returns the start of the description, or the name without a description.
fn description_start(document: &ToolDocument<'_>) -> String {
    let description: String = document
        .texts_of(DocumentField::Description)
        .flat_map(str::chars)
        .take(DESCRIPTION_MAX)
        .collect();
    if description.is_empty() {
        name(document)
    } else {
        description
    }
}

fn name(document: &ToolDocument<'_>) -> String {
    document
        .texts_of(DocumentField::Name)
        .map(split_identifier)
        .collect()
}

/// Splits an identifier into words.
fn split_identifier(identifier: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    tokenize::each(identifier, &mut |word, kind| {
        if kind == WordKind::Plain {
            found.push(word.to_owned());
        }
    });
    found.join(" ")
}
