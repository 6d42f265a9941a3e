//! The past, commit by commit: `log` and `show`.

use super::{
    changes::{FileChange, diff_of, find_renames, path_options},
    commits::{CommitLine, Walk, timestamp, touches},
    errors::GitError,
    excerpt::{MESSAGE_MAX, shortened},
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::{Revision, short_id},
    snapshot::RepoPath,
};
use git2::{Commit, Signature};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// A commit and what it changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommitDetails {
    /// The full id.
    pub id: String,
    /// Abbreviated ids of its parents: none for a first commit, two or more for a merge.
    pub parents: Vec<String>,
    /// Who wrote it, and when.
    pub author: Person,
    /// Who committed it, and when, where that was someone else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committer: Option<Person>,
    /// The whole message.
    pub message: String,
    /// The files it changed against its first parent.
    pub files: Page<FileChange>,
}

/// A person at a moment.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Person {
    /// Name.
    pub name: String,
    /// Mail address.
    pub email: String,
    /// When, in UTC.
    pub date: Timestamp,
}

impl Person {
    fn of(signature: &Signature<'_>) -> Self {
        Self {
            name: String::from_utf8_lossy(signature.name_bytes()).into_owned(),
            email: String::from_utf8_lossy(signature.email_bytes()).into_owned(),
            date: timestamp(signature.when()),
        }
    }
}

impl Repo {
    /// Lists what happened up to a revision, commit by commit, narrowed down by path, author and date. All conditions must
    /// hold.
    ///
    /// # Examples
    ///
    /// The last five commits:
    ///
    /// ```json
    /// { "limit": 5 }
    /// ```
    ///
    /// What Ada worked on in a directory since spring:
    ///
    /// ```json
    /// { "author": "ada", "path": ".", "since": "2025-03-01" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - What the branch `topic` has and `main` has not: `topic` as `revision`, `main` as `exclude`.
    /// - For the message and the files of one commit, go on with `show`; for its lines, with `diff`.
    /// - To find commits by a word in the message, use `search`; by a change in the code, `pickaxe`.
    /// - To see a file's life across renamings, use `file_history`.
    ///
    /// # Notes
    ///
    /// - A merge is listed for a path only if it differs there from all its parents.
    /// - Reading stops at the first commit older than `since`.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "List commits, newest first",
        related(Repo::show, Repo::file_history, Repo::search, Repo::pickaxe),
        found_by("what happened last week", "what did Ada work on in March"),
        read_only,
        blocking
    )]
    pub fn log(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// Leave out commits that can be reached from this revision.
        exclude: Option<Revision>,
        /// Only commits that changed something at or below this path.
        path: Option<RepoPath>,
        /// Only commits whose author's name or mail address contains this, in any case.
        #[arg(min_length = 1)]
        author: Option<String>,
        /// Only commits of this day or later, in UTC.
        since: Option<Date>,
        /// Only commits of this day or earlier, in UTC.
        until: Option<Date>,
        #[arg(default = 0)] skip: Skip,
        /// How many commits to return.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<CommitLine>>, GitError> {
        let repository = self.open()?;
        let mut walk = Walk::from(&repository, revision.commit(&repository)?.id(), call)?;
        if let Some(exclude) = exclude {
            walk.hide(exclude.commit(&repository)?.id())?;
        }
        let filter = Filter {
            path,
            author: author.map(|author| author.to_lowercase()),
            until,
        };
        let mut page = Pager::new(skip, limit);
        for commit in walk {
            let commit = commit?;
            if since.is_some_and(|since| day(&commit) < since) {
                break;
            }
            if filter.admits(&commit)? && !page.offer(|| CommitLine::of(&commit))? {
                break;
            }
        }
        Ok(Json(page.finish()))
    }

    /// Tells everything about one commit but the changed lines: who, when, why, and which files with how many lines.
    ///
    /// # Examples
    ///
    /// The commit that is checked out:
    ///
    /// ```json
    /// { "revision": "HEAD" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For the changed lines, call `diff` with the commit as `to`.
    ///
    /// # Notes
    ///
    /// - A merge is compared with its first parent: the files are what the merge brought into the branch.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `AMBIGUOUS_REVISION`
    #[pd_tool(
        summary = "Show one commit: message, author, changed files",
        related(Repo::diff, Repo::log, Repo::contains),
        found_by("why was this commit made", "who wrote commit 4f2a91c and when"),
        read_only,
        blocking
    )]
    pub fn show(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        #[arg(default = 0)] skip: Skip,
        /// How many files to list.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<CommitDetails>, GitError> {
        let repository = self.open()?;
        let commit = revision.commit(&repository)?;
        let mut diff = diff_of(&repository, &commit, &mut path_options(None))?;
        find_renames(&mut diff)?;
        let mut files = Pager::new(skip, limit);
        for change in FileChange::all(&diff, call) {
            if !files.offer(|| change)? {
                break;
            }
        }
        Ok(Json(details(&commit, files.finish())?))
    }
}

/// Which commits a log is about.
struct Filter {
    path: Option<RepoPath>,
    author: Option<String>,
    until: Option<Date>,
}

impl Filter {
    fn admits(&self, commit: &Commit<'_>) -> Result<bool, GitError> {
        if self.until.is_some_and(|until| day(commit) > until) {
            return Ok(false);
        }
        if self
            .author
            .as_ref()
            .is_some_and(|author| !is_by(commit, author))
        {
            return Ok(false);
        }
        match &self.path {
            Some(path) if !path.is_root() => touches(commit, path.as_path()),
            _ => Ok(true),
        }
    }
}

fn is_by(commit: &Commit<'_>, author: &str) -> bool {
    commit.author().to_string().to_lowercase().contains(author)
}

/// The day a commit was made, in UTC.
pub(super) fn day(commit: &Commit<'_>) -> Date {
    timestamp(commit.time()).to_zoned(TimeZone::UTC).date()
}

fn details(commit: &Commit<'_>, files: Page<FileChange>) -> Result<CommitDetails, GitError> {
    let author = Person::of(&commit.author());
    let committer = Some(Person::of(&commit.committer())).filter(|committer| *committer != author);
    Ok(CommitDetails {
        id: commit.id().to_string(),
        parents: commit
            .parents()
            .map(|parent| short_id(parent.as_object()))
            .collect::<Result<_, _>>()?,
        author,
        committer,
        message: shortened(commit.message_bytes().trim_ascii_end(), MESSAGE_MAX),
        files,
    })
}
