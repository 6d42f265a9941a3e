//! The files of a model: in a directory, or in the cache of Hugging Face's tools. Nothing is
//! downloaded.

use crate::text::regular_file;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// An error of loading a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}; a model's directory holds config.json, tokenizer.json and model.safetensors", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is malformed.
    #[error("{} is malformed: {why}; expected the files of sentence-transformers/all-MiniLM-L6-v2 or another BERT", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem.
        why: String,
    },
    /// The hub's cache does not have the model.
    #[error("{repository} is not in {}; download it with `hf download {repository}`", cache.display())]
    NotCached {
        /// The model's name on the hub.
        repository: String,
        /// The directory of the cache.
        cache: PathBuf,
    },
}

pub(super) fn read(directory: &Path, file: &str) -> Result<Vec<u8>, LoadError> {
    let path = directory.join(file);
    regular_file::read(&path).map_err(|source| LoadError::Read { path, source })
}

/// Checks that a file is there.
#[cfg(feature = "cli")]
pub(super) fn exists(directory: &Path, file: &str) -> Result<(), LoadError> {
    let path = directory.join(file);
    match fs::metadata(&path) {
        Ok(_) => Ok(()),
        Err(source) => Err(LoadError::Read { path, source }),
    }
}

pub(super) fn malformed(directory: &Path, file: &str, why: impl ToString) -> LoadError {
    LoadError::Malformed {
        path: directory.join(file),
        why: why.to_string(),
    }
}

/// Returns the directory of a model's newest snapshot in the hub's cache.
pub(super) fn cached(repository: &str) -> Result<PathBuf, LoadError> {
    let cache = cache().unwrap_or_default();
    snapshot(&cache, repository).ok_or_else(|| LoadError::NotCached {
        repository: repository.to_owned(),
        cache,
    })
}

/// Returns the cache of Hugging Face's tools: `HF_HUB_CACHE`, `hub` in `HF_HOME`, or the user's
/// cache directory.
fn cache() -> Option<PathBuf> {
    let path = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    path("HF_HUB_CACHE")
        .or_else(|| Some(path("HF_HOME")?.join("hub")))
        .or_else(|| Some(path("XDG_CACHE_HOME")?.join("huggingface/hub")))
        .or_else(|| Some(env::home_dir()?.join(".cache/huggingface/hub")))
}

fn snapshot(cache: &Path, repository: &str) -> Option<PathBuf> {
    let model = cache.join(format!("models--{}", repository.replace('/', "--")));
    // `refs/main` contains the commit of the newest snapshot.
    let commit = fs::read_to_string(model.join("refs/main")).ok()?;
    Some(model.join("snapshots").join(commit.trim())).filter(|directory| directory.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_read_as_hugging_face_writes_it() -> io::Result<()> {
        let cache = env::temp_dir().join(format!("pd-hub-{}", std::process::id()));
        let model = cache.join("models--sentence-transformers--all-MiniLM-L6-v2");
        fs::create_dir_all(model.join("snapshots/abc"))?;
        fs::create_dir_all(model.join("refs"))?;
        fs::write(model.join("refs/main"), "abc\n")?;
        let found = snapshot(&cache, "sentence-transformers/all-MiniLM-L6-v2");
        let other = snapshot(&cache, "sentence-transformers/other");
        fs::remove_dir_all(&cache)?;
        assert_eq!((found, other), (Some(model.join("snapshots/abc")), None));
        Ok(())
    }
}
