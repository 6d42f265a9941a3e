//! The changes themselves, searched for a pattern.

use super::{
    changes::{diff_of, lines, new_path, path_options},
    commits::{CommitLine, Walk},
    errors::GitError,
    excerpt::shortened,
    page::Skip,
    repo::Repo,
    revision::Revision,
    snapshot::RepoPath,
};
use git2::{Commit, DiffFormat, DiffLineType, DiffOptions, ErrorCode, Repository};
use pd_runtime::prelude::*;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;

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
        found_by("when was this function deleted", "which commit introduced this bug"),
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
                return Ok(Json(LineEvents {
                    commits,
                    next_skip: Some(place),
                }));
            }
            let commit = commit?;
            let lines = matching_lines(&repository, &commit, &pattern, &mut options)?;
            if !lines.is_empty() {
                commits.push(LineEvent {
                    commit: CommitLine::of(&commit)?,
                    lines,
                });
            }
        }
        Ok(Json(LineEvents {
            commits,
            next_skip: None,
        }))
    }
}

/// The first lines that `commit` added or removed and that match.
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
    let read = diff.print(DiffFormat::Patch, |delta, _, line| {
        let is_change = matches!(
            line.origin_value(),
            DiffLineType::Addition | DiffLineType::Deletion
        );
        for content in
            lines(line.content()).filter(|content| is_change && pattern.is_match(content))
        {
            let path = new_path(&delta);
            found.push(format!(
                "{} {path}: {}",
                line.origin(),
                shortened(content, LINE_MAX)
            ));
        }
        found.len() < LINES
    });
    match read {
        // The callback's way of saying that it has seen enough.
        Err(error) if error.code() != ErrorCode::User => Err(error.into()),
        _ => Ok(found),
    }
}
