//! The server's state: which repository it reads. What can be asked of it stands in the modules of the tools.

use super::errors::GitError;
use git2::Repository;
use std::path::{Path, PathBuf};

/// Why there is no repository to serve.
#[derive(Debug, thiserror::Error)]
#[error("no Git repository at or above `{}`: {}", from.display(), source.message())]
pub struct DiscoverError {
    from: PathBuf,
    source: git2::Error,
}

/// One repository, read only.
///
/// It holds a path, not a handle: libgit2's handles cannot be shared between threads, opening one costs less than a
/// millisecond, and a fresh one sees what others have committed, fetched or packed in the meantime.
#[derive(Debug, Clone)]
pub struct Repo {
    git_dir: PathBuf,
}

impl Repo {
    /// Finds the repository that `from` lies in, looking upwards as git does.
    ///
    /// # Errors
    ///
    /// Where there is none, or it may not be read.
    pub fn discover(from: &Path) -> Result<Self, DiscoverError> {
        let failed = |source| DiscoverError {
            from: from.to_owned(),
            source,
        };
        let repository = Repository::discover(from).map_err(failed)?;
        Ok(Self {
            git_dir: repository.path().to_owned(),
        })
    }

    /// A state that no tool may be run on: to list, describe and check the tools needs no
    /// repository.
    pub fn unopened(path: PathBuf) -> Self {
        Self { git_dir: path }
    }

    /// A handle for one call.
    pub(super) fn open(&self) -> Result<Repository, GitError> {
        Ok(Repository::open(&self.git_dir)?)
    }
}
