//! The files of one revision: the argument type for paths, lookup, and a walk through directories.

use super::{
    errors::{GitError, nearest, still_wanted},
    revision::{Revision, kind_name},
};
use git2::{Blob, ObjectType, Oid, Repository, Tree, TreeEntry};
use pd_runtime::{CallContext, ToolArg};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Larger files are neither read nor compared line by line: a call must not take all of the server's memory.
pub(super) const FILE_MAX: usize = 32 << 20;

/// A path from the repository's root, with `/` between names and without `..`; `.` is the root itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema, ToolArg)]
#[serde(transparent)]
pub struct RepoPath(String);

impl RepoPath {
    /// The path as git's trees spell it: no `./` before, no `/` after, empty for the root.
    pub(super) fn as_str(&self) -> &str {
        let path = self.0.trim_end_matches('/');
        if path == "." {
            ""
        } else {
            path.strip_prefix("./").unwrap_or(path)
        }
    }

    pub(super) fn as_path(&self) -> &Path {
        Path::new(self.as_str())
    }

    pub(super) fn is_root(&self) -> bool {
        self.as_str().is_empty()
    }
}

impl From<&str> for RepoPath {
    fn from(path: &str) -> Self {
        Self(path.to_owned())
    }
}

/// The files of one revision.
pub(super) struct Snapshot<'r> {
    repository: &'r Repository,
    revision: String,
    root: Tree<'r>,
}

/// One file, symbolic link or submodule of a snapshot.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) id: Oid,
    pub(super) is_submodule: bool,
}

impl<'r> Snapshot<'r> {
    pub(super) fn of(repository: &'r Repository, revision: &Revision) -> Result<Self, GitError> {
        let root = revision.commit(repository)?.tree()?;
        Ok(Self {
            repository,
            revision: revision.to_string(),
            root,
        })
    }

    /// The content's id of the file at `path`, text or not.
    pub(super) fn file(&self, path: &RepoPath) -> Result<Oid, GitError> {
        if path.is_root() {
            return Err(not_a_file(path, Some(ObjectType::Tree)));
        }
        let entry = self.entry(path)?;
        match entry.kind() {
            Some(ObjectType::Blob) => Ok(entry.id()),
            kind => Err(not_a_file(path, kind)),
        }
    }

    /// The text file at `path`.
    pub(super) fn text(&self, path: &RepoPath) -> Result<Blob<'r>, GitError> {
        let id = self.file(path)?;
        let (bytes, _) = self.repository.odb()?.read_header(id)?;
        if bytes > FILE_MAX {
            return Err(GitError::FileTooLarge {
                path: path.as_str().to_owned(),
                bytes,
            });
        }
        let blob = self.repository.find_blob(id)?;
        if blob.is_binary() {
            Err(GitError::BinaryFile(path.as_str().to_owned()))
        } else {
            Ok(blob)
        }
    }

    /// The directory at `path`.
    pub(super) fn directory(&self, path: &RepoPath) -> Result<Tree<'r>, GitError> {
        if path.is_root() {
            return Ok(self.root.clone());
        }
        let entry = self.entry(path)?;
        match entry.kind() {
            Some(ObjectType::Tree) => Ok(self.repository.find_tree(entry.id())?),
            _ => Err(GitError::NotADirectory(path.as_str().to_owned())),
        }
    }

    /// Every file at or below `path`, in the order of their paths.
    pub(super) fn files<'c>(
        &self,
        path: &RepoPath,
        call: &'c CallContext,
    ) -> Result<Files<'r, 'c>, GitError>
    where
        'r: 'c,
    {
        let mut files = Files {
            repository: self.repository,
            pending: Vec::new(),
            call,
        };
        if path.is_root() {
            files.open(self.root.id(), "")?;
        } else {
            let entry = self.entry(path)?;
            files
                .pending
                .push(Pending::of(&entry, path.as_str().to_owned()));
        }
        Ok(files)
    }

    fn entry(&self, path: &RepoPath) -> Result<TreeEntry<'static>, GitError> {
        self.root
            .get_path(path.as_path())
            .map_err(|_| GitError::PathNotFound {
                path: path.as_str().to_owned(),
                revision: self.revision.clone(),
                nearest: self.paths_like(path),
            })
    }

    /// Looks at a few thousand files only: an error must not cost more than the answer would have.
    fn paths_like(&self, path: &RepoPath) -> Vec<String> {
        let call = CallContext::detached();
        let Ok(files) = self.files(&RepoPath::from("."), &call) else {
            return Vec::new();
        };
        nearest(
            path.as_str(),
            files.flatten().take(5000).map(|file| file.path),
        )
    }
}

/// A depth-first walk through files, until the call is cancelled.
pub(super) struct Files<'r, 'c> {
    repository: &'r Repository,
    /// What is still to be visited, the next one last.
    pending: Vec<Pending>,
    call: &'c CallContext,
}

struct Pending {
    path: String,
    id: Oid,
    kind: Option<ObjectType>,
}

impl Pending {
    fn of(entry: &TreeEntry<'_>, path: String) -> Self {
        Self {
            path,
            id: entry.id(),
            kind: entry.kind(),
        }
    }
}

impl Files<'_, '_> {
    fn open(&mut self, directory: Oid, path: &str) -> Result<(), GitError> {
        let tree = self.repository.find_tree(directory)?;
        let entries = tree
            .iter()
            .map(|entry| Pending::of(&entry, join(path, entry.name_bytes())));
        let entries: Vec<Pending> = entries.collect();
        self.pending.extend(entries.into_iter().rev());
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<File>, GitError> {
        while let Some(Pending { path, id, kind }) = self.pending.pop() {
            still_wanted(self.call)?;
            match kind {
                Some(ObjectType::Tree) => self.open(id, &path)?,
                kind => {
                    return Ok(Some(File {
                        path,
                        id,
                        is_submodule: kind == Some(ObjectType::Commit),
                    }));
                }
            }
        }
        Ok(None)
    }
}

impl Iterator for Files<'_, '_> {
    type Item = Result<File, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

/// The path of `name` in `directory`. A name that is no UTF-8 shows replacement characters, and cannot be asked for.
pub(super) fn join(directory: &str, name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    if directory.is_empty() {
        name.into_owned()
    } else {
        format!("{directory}/{name}")
    }
}

fn not_a_file(path: &RepoPath, kind: Option<ObjectType>) -> GitError {
    let path = if path.is_root() { "." } else { path.as_str() };
    GitError::NotAFile {
        path: path.to_owned(),
        kind: kind_name(kind),
    }
}
