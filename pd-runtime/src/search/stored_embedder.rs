//! Embeddings of documents that outlast the process.

use super::{
    embedder::{EmbedError, Embedder, check_vectors, in_batches, log_progress},
    vector_file::{VectorFile, VectorKey},
};
use std::{collections::HashMap, fmt, path::PathBuf};

/// A model that keeps the vectors of tools in a file, so that a restart computes only the vectors
/// of changed tools.
///
/// The file contains vectors and SHA-256 digests of their texts: no text and no request. It has at
/// most 64 MiB, which is enough for 15,000 tools with vectors of 384 numbers. A full file is
/// written anew with the vectors in use. Several processes may use one file. If the file cannot be
/// read or written, the model computes the vectors, and a warning is logged with `tracing`.
///
/// ```
/// use pd_runtime::search::{EmbedError, Embedder, StoredEmbedder};
/// # use std::sync::Arc;
///
/// struct Letters;
///
/// impl Embedder for Letters {
///     fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
///         Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
///     }
/// }
///
/// # let directory = std::env::temp_dir().join(format!("pd-doc-vectors-{}", std::process::id()));
/// let model = StoredEmbedder::new(Letters, "letters-1", directory.join("letters.jsonl"));
/// assert_eq!(model.embed_documents(&["two words"])?, [[9.0, 1.0]]);
///
/// # let registry: pd_runtime::Registry<()> = pd_runtime::Registry::builder().build()?;
/// let search = registry.search_with(Arc::new(model))?;
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoredEmbedder<E> {
    model: E,
    identity: Box<str>,
    file: VectorFile,
    report: Box<ProgressReport>,
}

/// Receives the number of embedded texts, and of all texts.
type ProgressReport = dyn Fn(usize, usize) + Send + Sync;

impl<E: Embedder> StoredEmbedder<E> {
    /// Wraps a model. `identity` names the model and its version: vectors of another one are not
    /// used. The file and its directory are created when they are needed.
    pub fn new(model: E, identity: impl Into<Box<str>>, file: impl Into<PathBuf>) -> Self {
        Self {
            model,
            identity: identity.into(),
            file: VectorFile::new(file.into()),
            report: Box::new(log_progress),
        }
    }

    /// Reports the progress to this function, and does not log it.
    #[cfg(all(feature = "cli", feature = "semantic"))]
    pub(crate) fn with_progress(
        mut self,
        report: impl Fn(usize, usize) + Send + Sync + 'static,
    ) -> Self {
        self.report = Box::new(report);
        self
    }

    /// Embeds the texts that have no vector yet, and stores each batch at once, so that an
    /// interrupted start loses little.
    fn embed_missing(
        &self,
        texts: &[&str],
        keys: &[VectorKey],
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut known = self.file.read(&keys.iter().copied().collect());
        // By text, because several tools may have equal texts. Each is embedded once.
        let mut missing = HashMap::new();
        for (key, text) in keys
            .iter()
            .zip(texts)
            .filter(|(key, _)| !known.contains_key(key))
        {
            missing.insert(*text, *key);
        }
        let texts: Vec<&str> = missing.keys().copied().collect();
        in_batches(&texts, &self.report, |batch| {
            let vectors = self.model.embed_documents(batch)?;
            // Checked before they are stored: a wrong vector in the file would outlive the process.
            check_vectors(&vectors, batch.len())?;
            let keys = batch.iter().filter_map(|text| missing.get(text).copied());
            let stored: Vec<(VectorKey, Vec<f32>)> = keys.zip(vectors.iter().cloned()).collect();
            self.file.append(&stored, &known);
            known.extend(stored);
            Ok(vectors)
        })?;
        Ok(keys
            .iter()
            .filter_map(|key| known.get(key).cloned())
            .collect())
    }
}

impl<E: Embedder> Embedder for StoredEmbedder<E> {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.embed(texts)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let keys: Vec<VectorKey> = texts
            .iter()
            .map(|text| VectorKey::new(&self.identity, text))
            .collect();
        let vectors = self.embed_missing(texts, &keys)?;
        if check_vectors(&vectors, texts.len()).is_ok() {
            return Ok(vectors);
        }
        // Two models have this identity, or a person has edited the file. The file is removed, so
        // that the next start does not fail in the same way.
        self.file.remove();
        self.model.embed_documents(texts)
    }
}

impl<E> fmt::Debug for StoredEmbedder<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredEmbedder")
            .field("identity", &self.identity)
            .field("file", &self.file)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::{
        fs,
        path::Path,
        sync::atomic::{AtomicUsize, Ordering},
    };

    /// Counts the texts that it embeds.
    struct CountingModel {
        count: AtomicUsize,
        width: usize,
    }

    impl Embedder for CountingModel {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.count.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts
                .iter()
                .map(|text| vec![text.len() as f32; self.width])
                .collect())
        }
    }

    fn model(identity: &str, width: usize, file: &Path) -> StoredEmbedder<CountingModel> {
        StoredEmbedder::new(
            CountingModel {
                count: AtomicUsize::new(0),
                width,
            },
            identity,
            file,
        )
    }

    /// Returns the vectors' first numbers, and how many texts a new process embeds.
    fn embed(identity: &str, width: usize, file: &Path, texts: &[&str]) -> (Vec<f32>, usize) {
        let model = model(identity, width, file);
        let vectors = model.embed_documents(texts).unwrap();
        assert!(
            vectors.iter().all(|vector| vector.len() == width),
            "{vectors:?}"
        );
        (
            vectors
                .iter()
                .filter_map(|vector| vector.first().copied())
                .collect(),
            model.model.count.into_inner(),
        )
    }

    /// A file in its own directory, which does not exist yet.
    fn file(name: &str) -> PathBuf {
        let directory =
            std::env::temp_dir().join(format!("pd-vectors-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        directory.join("new/vectors.jsonl")
    }

    fn clean(file: &Path) {
        fs::remove_dir_all(file.parent().unwrap().parent().unwrap()).unwrap();
    }

    #[test]
    fn a_restart_embeds_only_what_is_new() {
        let file = file("restart");
        assert_eq!(
            embed("a", 2, &file, &["one", "three", "one"]),
            (vec![3.0, 5.0, 3.0], 2)
        );
        assert_eq!(
            embed("a", 2, &file, &["three", "four", "one"]),
            (vec![5.0, 4.0, 3.0], 1)
        );
        assert_eq!(embed("a", 2, &file, &["four", "one"]), (vec![4.0, 3.0], 0));
        assert_eq!(
            embed("b", 2, &file, &["one"]),
            (vec![3.0], 1),
            "another model has vectors of its own"
        );
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("three"), "{text}");
        clean(&file);
    }

    #[test]
    fn a_request_is_not_stored() {
        let file = file("request");
        model("a", 2, &file).embed(&["who broke this"]).unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn documents_are_embedded_as_the_model_embeds_documents() {
        struct TwoWays;
        impl Embedder for TwoWays {
            fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
                Ok(vec![vec![1.0]; texts.len()])
            }
            fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
                Ok(vec![vec![2.0]; texts.len()])
            }
        }
        let file = file("documents");
        let model = StoredEmbedder::new(TwoWays, "a", &file);
        assert_eq!(model.embed_documents(&["one"]).unwrap(), [[2.0]]);
        assert_eq!(model.embed(&["one"]).unwrap(), [[1.0]]);
        clean(&file);
    }

    #[test]
    fn vectors_of_a_model_that_miscounts_are_not_stored() {
        struct OneTooMany;
        impl Embedder for OneTooMany {
            fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
                Ok(vec![vec![1.0]; texts.len() + 1])
            }
        }
        let file = file("miscount");
        assert!(
            StoredEmbedder::new(OneTooMany, "a", &file)
                .embed_documents(&["one"])
                .is_err()
        );
        assert!(!file.exists());
    }

    #[test]
    fn what_cannot_be_read_is_embedded_again() {
        let file = file("damage");
        embed("a", 2, &file, &["one", "three"]);
        let text = fs::read_to_string(&file).unwrap();
        // The process was killed while it wrote the last line.
        fs::write(&file, text.get(..text.len() - 9).unwrap()).unwrap();
        assert_eq!(embed("a", 2, &file, &["one", "three"]), (vec![3.0, 5.0], 1));
        assert_eq!(embed("a", 2, &file, &["one", "three"]), (vec![3.0, 5.0], 0));
        fs::write(&file, b"\xff\n{}\n[1]\n").unwrap();
        assert_eq!(embed("a", 2, &file, &["one"]), (vec![3.0], 1));
        clean(&file);
    }

    #[test]
    fn vectors_of_another_width_are_those_of_another_model() {
        let file = file("width");
        embed("a", 2, &file, &["one", "three"]);
        assert_eq!(embed("a", 3, &file, &["one", "four"]).0, [3.0, 4.0]);
        assert_eq!(
            embed("a", 3, &file, &["one"]).1,
            1,
            "the old vectors are gone"
        );
        clean(&file);
    }

    #[test]
    fn a_file_that_cannot_be_written_costs_time_only() {
        let file = file("unwritable");
        fs::create_dir_all(&file).unwrap();
        assert_eq!(embed("a", 2, &file, &["one"]), (vec![3.0], 1));
        clean(&file);
    }

    #[test]
    fn a_full_file_keeps_what_is_in_use() {
        let file = file("full");
        let embed_up_to = |max: u64, texts: &[&str]| {
            let mut model = model("a", 2, &file);
            model.file = VectorFile::with_max(file.clone(), max);
            model.embed_documents(texts).unwrap();
            model.model.count.into_inner()
        };
        let size = || fs::metadata(&file).unwrap().len();
        assert_eq!(embed_up_to(1_000, &["one", "two", "three", "four"]), 4);
        let full = size();
        assert_eq!(embed_up_to(full, &["four", "five"]), 1);
        assert!(size() < full);
        assert_eq!(embed_up_to(full, &["five", "four"]), 0);
        assert_eq!(embed_up_to(full, &["one"]), 1, "it was not in use");
        assert_eq!(embed_up_to(10, &["six"]), 1, "too small for one vector");
        clean(&file);
    }
}
