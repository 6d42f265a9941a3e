//! One word, looked for in all names and messages: where to begin.

use super::{
    commits::{CommitLine, Walk},
    errors::GitError,
    repo::Repo,
    revision::{Revision, reference_names},
    snapshot::{RepoPath, Snapshot},
};
use git2::Repository;
use pd_runtime::prelude::*;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Serialize;

/// How many commits `search` looks through for a word.
const COMMITS_SEARCHED: usize = 20_000;

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
    /// Finds what mentions a keyword or phrase: names of branches and tags, paths of files, and messages and authors of
    /// commits. This is a first step when it is not yet clear where the answer lies.
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
        found_by(
            "where does anything mention the payment code",
            "I only remember a keyword"
        ),
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
        let refs = reference_names(&repository)
            .into_iter()
            .filter(|name| word.is_match(name.as_bytes()));
        Ok(Json(Found {
            refs: refs.take(limit).collect(),
            files: files_named(&repository, &revision, &word, limit, call)?,
            commits: commits_about(&repository, &revision, &word, limit, call)?,
        }))
    }
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
    paths
        .filter(|path| {
            path.as_ref()
                .map_or(true, |path| word.is_match(path.as_bytes()))
        })
        .take(limit)
        .collect()
}

fn commits_about(
    repository: &Repository,
    revision: &Revision,
    word: &Regex,
    limit: usize,
    call: &CallContext,
) -> Result<Vec<CommitLine>, GitError> {
    let mut found = Vec::new();
    for commit in
        Walk::from(repository, revision.commit(repository)?.id(), call)?.take(COMMITS_SEARCHED)
    {
        let commit = commit?;
        if word.is_match(commit.message_bytes())
            || word.is_match(commit.author().to_string().as_bytes())
        {
            found.push(CommitLine::of(&commit)?);
        }
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}
