//! The content of the files of a revision, searched for a pattern.

use super::{
    changes::lines,
    errors::GitError,
    excerpt::shortened,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{File, RepoPath, Snapshot},
};
use git2::Repository;
use pd_runtime::prelude::*;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;

/// Files larger than this are data, not text that anyone greps.
const FILE_MAX: usize = 2 << 20;

/// A line that matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Match {
    /// The file.
    pub path: String,
    /// The line's number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

impl Repo {
    /// Searches the content of text files as they were at a revision, line by line.
    ///
    /// # Examples
    ///
    /// What is still to be done:
    ///
    /// ```json
    /// { "pattern": "TODO|FIXME" }
    /// ```
    ///
    /// Public functions of the sources, the first five:
    ///
    /// ```json
    /// { "pattern": "^\\s*pub (async )?fn \\w+", "path": ".", "limit": 5 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To learn who wrote a line found, go on with `blame`; to find lines that are gone, use `pickaxe`.
    ///
    /// # Notes
    ///
    /// - The pattern is a regular expression; put `(?i)` before it to ignore case.
    /// - Binary files and files above 2 MiB are passed over.
    ///
    /// # Errors
    ///
    /// - `INVALID_PATTERN`
    /// - `PATH_NOT_FOUND`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Search the content of files at any revision",
        related(Repo::pickaxe, Repo::cat, Repo::blame, Repo::find),
        found_by("where is this function called", "look for TODO comments"),
        read_only,
        blocking
    )]
    pub fn grep(
        &self,
        /// A regular expression for a line or a part of it.
        #[arg(min_length = 1)]
        pattern: String,
        #[arg(default = "HEAD")] revision: Revision,
        /// The file or directory to search.
        #[arg(default = ".")]
        path: RepoPath,
        #[arg(default = 0)] skip: Skip,
        /// How many lines to return.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<Match>>, GitError> {
        let repository = self.open()?;
        let pattern = Regex::new(&pattern)?;
        let mut page = Pager::new(skip, limit);
        for file in Snapshot::of(&repository, &revision)?.files(&path, call)? {
            if !matches_in(&repository, &file?, &pattern, &mut page)? {
                break;
            }
        }
        Ok(Json(page.finish()))
    }
}

/// Offers the page each matching line of `file`; false once it wants no more.
fn matches_in(
    repository: &Repository,
    file: &File,
    pattern: &Regex,
    page: &mut Pager<Match>,
) -> Result<bool, GitError> {
    if file.is_submodule || repository.odb()?.read_header(file.id)?.0 > FILE_MAX {
        return Ok(true);
    }
    let blob = repository.find_blob(file.id)?;
    // One look at the whole file is far cheaper than one at every line, and most files do not match.
    if blob.is_binary() || !lines(blob.content()).any(|line| pattern.is_match(line)) {
        return Ok(true);
    }
    for (line, content) in (1..)
        .zip(lines(blob.content()))
        .filter(|(_, content)| pattern.is_match(content))
    {
        let text = || {
            Ok(Match {
                path: file.path.clone(),
                line,
                text: shortened(content, 300),
            })
        };
        if !page.offer(text)? {
            return Ok(false);
        }
    }
    Ok(true)
}
