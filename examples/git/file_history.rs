//! The life of one file, through renamings, and the commits that changed a piece of code.

use super::{
    changes::{Change, FileChange, diff_of, find_renames, lines},
    commits::{CommitLine, Walk, at, touches},
    errors::GitError,
    excerpt::shortened,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot},
    status::path_options,
};
use git2::{Commit, DiffLineType, DiffOptions, ErrorCode, Repository};
use pd_runtime::prelude::*;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// One event in a file's life.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileEvent {
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitLine,
    /// What it did to the file.
    #[serde(flatten)]
    pub file: FileChange,
}

/// A commit with the lines that made it match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineEvent {
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitLine,
    /// The first few matching lines, each with `+` or `-` and its file before it.
    pub lines: Vec<String>,
}

/// Commits whose changes match, and how far the search came.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineEvents {
    /// The commits, newest first.
    pub commits: Vec<LineEvent>,
    /// Where to go on: pass it as `skip`. Absent once the whole history has been read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_skip: Option<u32>,
}

impl Repo {
    /// Lists the commits that changed one file, newest first, and what each did to it. Where a commit renamed the file,
    /// the list goes on under the old name.
    ///
    /// # Examples
    ///
    /// How a file came to be:
    ///
    /// ```json
    /// { "path": "Cargo.toml", "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For the lines of one change, call `diff` with the commit as `to` and the file as `path`.
    /// - For a directory, or to filter by author and date, use `log`.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Follow one file through its changes and renamings",
        related(Repo::log, Repo::blame, Repo::diff),
        read_only,
        blocking
    )]
    pub fn file_history(
        &self,
        /// The file, as it is called at `revision`.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        #[arg(default = 0)] skip: Skip,
        /// How many changes to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<FileEvent>>, GitError> {
        let repository = self.open()?;
        Snapshot::of(&repository, &revision)?.blob(&path)?;
        let mut name = path.as_str().to_owned();
        let mut page = Pager::new(skip, limit);
        for commit in Walk::from(&repository, revision.commit(&repository)?.id(), call)? {
            let commit = commit?;
            if !touches(&commit, Path::new(&name))? {
                continue;
            }
            let Some(file) = change_of(&repository, &commit, &name)? else { continue };
            let born = file.change == Change::Added;
            name = file.old_path.clone().unwrap_or(name);
            if !page.offer(|| Ok(FileEvent { commit: CommitLine::of(&commit)?, file }))? || born {
                break;
            }
        }
        Ok(Json(page.finish()))
    }

    /// Searches the changes themselves: commits that added or removed a line which matches a pattern. So one finds the
    /// commit that introduced a function, or the one that took it away.
    ///
    /// # Examples
    ///
    /// When something was marked to be done, or was done:
    ///
    /// ```json
    /// { "pattern": "TODO|FIXME", "limit": 5 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Give a `path` where you can: it makes the search many times faster.
    /// - To find a line that stands in the code now, use `grep`, then `blame`.
    ///
    /// # Notes
    ///
    /// - The pattern is a regular expression; put `(?i)` before it to ignore case.
    /// - A call reads at most `scan` commits and then says where to go on: few results do not mean that there are no
    ///   more.
    /// - Merges are passed over: what they bring in belongs to the commits merged.
    ///
    /// # Errors
    ///
    /// - `INVALID_PATTERN`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Find commits that added or removed matching lines",
        related(Repo::grep, Repo::blame, Repo::search),
        aliases("grep_log", "git log -G"),
        read_only,
        blocking
    )]
    pub fn pickaxe(
        &self,
        /// A regular expression for the changed line.
        #[arg(min_length = 1)]
        pattern: String,
        #[arg(default = "HEAD")] revision: Revision,
        /// Only changes at or below this path.
        path: Option<RepoPath>,
        #[arg(default = 0)] skip: Skip,
        /// How many commits to return.
        #[arg(default = 10, minimum = 1, maximum = 100)]
        limit: u32,
        /// How many commits to read.
        #[arg(default = 1000, minimum = 1, maximum = 20000)]
        scan: u32,
        call: &CallContext,
    ) -> Result<Json<LineEvents>, GitError> {
        let repository = self.open()?;
        let pattern = Regex::new(&pattern)?;
        let mut options = path_options(path.as_ref());
        options.context_lines(0);
        let mut commits = Vec::new();
        let walk = Walk::from(&repository, revision.commit(&repository)?.id(), call)?;
        for (place, commit) in (0..).zip(walk).skip(skip.0 as usize) {
            if place == skip.0.saturating_add(scan) || commits.len() == limit as usize {
                return Ok(Json(LineEvents { commits, next_skip: Some(place) }));
            }
            let commit = commit?;
            let lines = matching_lines(&repository, &commit, &pattern, &mut options)?;
            if !lines.is_empty() {
                commits.push(LineEvent { commit: CommitLine::of(&commit)?, lines });
            }
        }
        Ok(Json(LineEvents { commits, next_skip: None }))
    }
}

/// What `commit` did to the file that is called `name` after it.
fn change_of(repository: &Repository, commit: &Commit<'_>, name: &str) -> Result<Option<FileChange>, GitError> {
    let is_new = match commit.parent_count() {
        0 => true,
        _ => at(&commit.parent(0)?, Path::new(name))?.is_none(),
    };
    // Only a file that appears may have been renamed; then the whole commit must be searched for its old name.
    let mut options = if is_new { DiffOptions::new() } else { path_options(Some(&RepoPath::from(name))) };
    let mut diff = diff_of(repository, commit, &mut options)?;
    if is_new && commit.parent_count() > 0 {
        find_renames(&mut diff)?;
    }
    let index = diff.deltas().position(|delta| super::changes::new_path(&delta) == name);
    index.map_or(Ok(None), |index| FileChange::of(&diff, index))
}

fn matching_lines(
    repository: &Repository,
    commit: &Commit<'_>,
    pattern: &Regex,
    options: &mut DiffOptions,
) -> Result<Vec<String>, GitError> {
    const LINES: usize = 3;
    const LINE_MAX: usize = 200;
    let mut found = Vec::new();
    if commit.parent_count() > 1 {
        return Ok(found);
    }
    let diff = diff_of(repository, commit, options)?;
    let read = diff.print(git2::DiffFormat::Patch, |delta, _, line| {
        let is_change = matches!(line.origin_value(), DiffLineType::Addition | DiffLineType::Deletion);
        for content in lines(line.content()).filter(|content| is_change && pattern.is_match(content)) {
            let path = super::changes::new_path(&delta);
            found.push(format!("{} {path}: {}", line.origin(), shortened(content, LINE_MAX)));
        }
        found.len() < LINES
    });
    match read {
        // The callback's way of saying that it has seen enough.
        Err(error) if error.code() != ErrorCode::User => Err(error.into()),
        _ => Ok(found),
    }
}
