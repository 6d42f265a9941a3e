//! Words in the files of a revision, and one word looked for everywhere.

use super::{
    changes::lines,
    commits::{CommitLine, Walk},
    errors::GitError,
    excerpt::shortened,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::{Revision, reference_names},
    snapshot::{File, RepoPath, Snapshot},
};
use git2::Repository;
use pd_runtime::prelude::*;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;

/// Files larger than this are data, not text that anyone greps.
const FILE_MAX: usize = 2 << 20;

/// How many commits `search` looks through for a word.
const COMMITS_SEARCHED: usize = 20_000;

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

/// Where a word occurs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Branches and tags with the word in their names.
    pub refs: Vec<String>,
    /// Files with the word in their paths.
    pub files: Vec<String>,
    /// Commits with the word in their messages or authors, newest first.
    pub commits: Vec<CommitLine>,
}

impl Repo {
    /// Looks for a word or phrase in the names of branches and tags, the paths of files, and the messages and authors
    /// of commits: a first step when it is not yet clear where the answer lies.
    ///
    /// # Examples
    ///
    /// All about the build:
    ///
    /// ```json
    /// { "query": "build" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Go on with the tool of the place found: `log`, `cat`, `show`.
    /// - The content of files is not searched here: use `grep`; nor are changes: use `pickaxe`.
    ///
    /// # Notes
    ///
    /// - Upper and lower case are the same. Of the history the last 20000 commits are searched.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Find commits, files, branches and tags by a word",
        related(Repo::grep, Repo::pickaxe, Repo::log),
        read_only,
        blocking
    )]
    pub fn search(
        &self,
        /// A word or phrase, taken literally.
        #[arg(min_length = 1)]
        query: String,
        #[arg(default = "HEAD")] revision: Revision,
        /// How many hits of each kind to return.
        #[arg(default = 10, minimum = 1, maximum = 100)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Found>, GitError> {
        let repository = self.open()?;
        let word = Regex::new(&format!("(?i){}", regex::escape(&query)))?;
        let limit = limit as usize;
        let refs = reference_names(&repository).into_iter().filter(|name| word.is_match(name.as_bytes()));
        Ok(Json(Found {
            refs: refs.take(limit).collect(),
            files: files_named(&repository, &revision, &word, limit, call)?,
            commits: commits_about(&repository, &revision, &word, limit, call)?,
        }))
    }

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
    for (line, content) in (1..).zip(lines(blob.content())).filter(|(_, content)| pattern.is_match(content)) {
        let text = || Ok(Match { path: file.path.clone(), line, text: shortened(content, 300) });
        if !page.offer(text)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn files_named(
    repository: &Repository,
    revision: &Revision,
    word: &Regex,
    limit: usize,
    call: &CallContext,
) -> Result<Vec<String>, GitError> {
    let files = Snapshot::of(repository, revision)?.files(&RepoPath::from("."), call)?;
    let paths = files.map(|file| file.map(|file| file.path));
    paths.filter(|path| path.as_ref().map_or(true, |path| word.is_match(path.as_bytes()))).take(limit).collect()
}

fn commits_about(
    repository: &Repository,
    revision: &Revision,
    word: &Regex,
    limit: usize,
    call: &CallContext,
) -> Result<Vec<CommitLine>, GitError> {
    let mut found = Vec::new();
    for commit in Walk::from(repository, revision.commit(repository)?.id(), call)?.take(COMMITS_SEARCHED) {
        let commit = commit?;
        if word.is_match(commit.message_bytes()) || word.is_match(commit.author().to_string().as_bytes()) {
            found.push(CommitLine::of(&commit)?);
        }
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}
