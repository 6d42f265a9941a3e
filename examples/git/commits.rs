//! Commits: how one is written in an answer, and how many are walked through.

use super::{
    errors::{GitError, still_wanted},
    revision::short_id,
};
use git2::{Commit, Oid, Repository, Revwalk, Sort, Time};
use jiff::Timestamp;
use pd_runtime::CallContext;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A commit in one line.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitLine {
    /// Abbreviated id; every tool takes it as a revision.
    pub id: String,
    /// When it was committed, in UTC.
    pub date: Timestamp,
    /// Who wrote it.
    pub author: String,
    /// The message's first line.
    pub subject: String,
}

impl CommitLine {
    pub(super) fn of(commit: &Commit<'_>) -> Result<Self, GitError> {
        Ok(Self {
            id: short_id(commit.as_object())?,
            date: timestamp(commit.time()),
            author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
            subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default())
                .into_owned(),
        })
    }
}

/// The commits that can be reached from one, newest first, until the call is cancelled.
pub(super) struct Walk<'r> {
    repository: &'r Repository,
    ids: Revwalk<'r>,
    call: &'r CallContext,
}

impl<'r> Walk<'r> {
    pub(super) fn from(
        repository: &'r Repository,
        start: Oid,
        call: &'r CallContext,
    ) -> Result<Self, GitError> {
        let mut ids = repository.revwalk()?;
        // By time alone: a topological order would read the whole history before its first commit.
        ids.set_sorting(Sort::TIME)?;
        ids.push(start)?;
        Ok(Self {
            repository,
            ids,
            call,
        })
    }

    /// Leaves out what can be reached from `other`.
    pub(super) fn hide(&mut self, other: Oid) -> Result<(), GitError> {
        Ok(self.ids.hide(other)?)
    }
}

impl<'r> Iterator for Walk<'r> {
    type Item = Result<Commit<'r>, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.ids.next()?;
        Some(still_wanted(self.call).and_then(|()| Ok(self.repository.find_commit(id?)?)))
    }
}

/// Whether `commit` changed what stands at `path`: it differs there from each of its parents.
pub(super) fn touches(commit: &Commit<'_>, path: &Path) -> Result<bool, GitError> {
    let here = at(commit, path)?;
    if commit.parent_count() == 0 {
        return Ok(here.is_some());
    }
    for parent in commit.parents() {
        if at(&parent, path)? == here {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The object and mode at `path`, if there is anything.
pub(super) fn at(commit: &Commit<'_>, path: &Path) -> Result<Option<(Oid, i32)>, GitError> {
    let tree = commit.tree()?;
    Ok(tree
        .get_path(path)
        .ok()
        .map(|entry| (entry.id(), entry.filemode())))
}

/// A moment of git's; one outside of jiff's years is held at 1970.
pub(super) fn timestamp(time: Time) -> Timestamp {
    Timestamp::from_second(time.seconds()).unwrap_or_default()
}
