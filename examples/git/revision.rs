//! Revisions: the argument type that documents every tool that takes one, and the way from a name to a commit.

use super::errors::{GitError, nearest};
use git2::{Commit, ErrorCode, Object, ObjectType, Repository};
use pd_runtime::ToolArg;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A branch, a tag, a commit's id or the start of one, or an expression such as `HEAD~3` or `v1.0^{commit}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ToolArg)]
#[serde(transparent)]
pub struct Revision(String);

impl Revision {
    /// The object it names, peeled no further.
    pub(super) fn object<'r>(&self, repository: &'r Repository) -> Result<Object<'r>, GitError> {
        repository
            .revparse_single(&self.0)
            .map_err(|error| self.explain(repository, error))
    }

    /// The commit it names, directly or through a tag.
    pub(super) fn commit<'r>(&self, repository: &'r Repository) -> Result<Commit<'r>, GitError> {
        let object = self.object(repository)?;
        let kind = object.kind().map_or("object", |kind| kind.str());
        object.peel_to_commit().map_err(|_| GitError::NotACommit {
            revision: self.0.clone(),
            kind,
        })
    }

    fn explain(&self, repository: &Repository, error: git2::Error) -> GitError {
        match error.code() {
            ErrorCode::Ambiguous => GitError::AmbiguousRevision(self.0.clone()),
            ErrorCode::UnbornBranch => GitError::EmptyRepository,
            _ if is_empty(repository) => GitError::EmptyRepository,
            _ => GitError::RevisionNotFound {
                revision: self.0.clone(),
                nearest: nearest(&self.0, reference_names(repository).into_iter()),
            },
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Revision {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// The short names of all branches and tags. What cannot be read is left out.
pub(super) fn reference_names(repository: &Repository) -> Vec<String> {
    let Ok(references) = repository.references() else {
        return Vec::new();
    };
    references
        .flatten()
        .filter(|reference| reference.is_branch() || reference.is_remote() || reference.is_tag())
        .map(|reference| String::from_utf8_lossy(reference.shorthand_bytes()).into_owned())
        .collect()
}

/// An object's id, abbreviated as far as it stays unambiguous: ids are the most frequent, and the dearest, words in
/// this server's answers.
pub(super) fn short_id(object: &Object<'_>) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&object.short_id()?).into_owned())
}

fn is_empty(repository: &Repository) -> bool {
    let unborn = repository
        .head()
        .is_err_and(|error| error.code() == ErrorCode::UnbornBranch);
    unborn && reference_names(repository).is_empty()
}

/// What an object is called in a message.
pub(super) fn kind_name(kind: Option<ObjectType>) -> &'static str {
    match kind {
        Some(ObjectType::Tree) => "directory",
        Some(ObjectType::Blob) => "file",
        Some(ObjectType::Commit) => "submodule",
        _ => "special object",
    }
}
