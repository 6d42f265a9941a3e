//! Who wrote the lines that stand in a file now: line by line, and summed up.

use super::{
    changes::lines,
    commits::{CommitLine, timestamp},
    errors::GitError,
    excerpt::shortened,
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot},
};
use git2::{Blame, BlameHunk, BlameOptions, Repository};
use jiff::Timestamp;
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Who wrote which lines.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Blamed {
    /// Neighbouring lines of the same commit, from top to bottom.
    pub blocks: Vec<Block>,
    /// The line to go on with, as `first_line`. Absent at the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u32>,
}

/// Neighbouring lines of the same commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Block {
    /// The number of the first line.
    pub line: usize,
    /// The commit that last changed them.
    #[serde(flatten)]
    pub commit: CommitLine,
    /// The lines.
    pub text: Vec<String>,
}

/// Whose lines survive in a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Owners {
    /// All lines of the file.
    pub lines: usize,
    /// Their authors, the one with the most lines first.
    pub owners: Vec<Owner>,
}

/// An author of surviving lines.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Owner {
    /// Who.
    pub author: String,
    /// How many lines.
    pub lines: usize,
    /// When they last changed the file, in UTC.
    pub latest: Timestamp,
}

impl Repo {
    /// Tells who wrote each line of a text file, and with which commit: the last one that changed the line.
    ///
    /// # Examples
    ///
    /// The origin of a file's first ten lines:
    ///
    /// ```json
    /// { "path": "README.md", "first_line": 1, "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Ask for the lines in question only: the answer is shorter and comes sooner.
    /// - Go on with `show` to learn why the commit changed them.
    /// - Where the commit only moved or reformatted the line, blame again with `revision` set to `<commit>^`.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `BINARY_FILE`
    /// - `FILE_TOO_LARGE`
    /// - `LINE_NOT_FOUND`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Show who last changed each line of a file",
        related(Repo::show, Repo::owners, Repo::file_history),
        aliases("annotate"),
        found_by("who broke this line", "who wrote this function"),
        read_only,
        blocking
    )]
    pub fn blame(
        &self,
        /// The file.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        /// The first line of interest.
        #[arg(default = 1, minimum = 1)]
        first_line: u32,
        /// How many lines.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
    ) -> Result<Json<Blamed>, GitError> {
        let repository = self.open()?;
        let blob = Snapshot::of(&repository, &revision)?.text(&path)?;
        let text: Vec<&[u8]> = lines(blob.content()).collect();
        let end = first_line.saturating_add(limit);
        let Some(last) = text
            .len()
            .checked_sub(1)
            .filter(|last| first_line as usize - 1 <= *last)
        else {
            return Err(line_not_found(&path, first_line, text.len()));
        };
        let last_line = (end - 1).min(u32::try_from(last + 1).unwrap_or(u32::MAX));
        let blame = blame_of(&repository, &path, &revision, Some((first_line, last_line)))?;
        let blocks = blame
            .iter()
            .map(|hunk| block(&repository, &hunk, &text))
            .collect::<Result<_, _>>()?;
        let next_line = (text.len() > last_line as usize).then_some(last_line + 1);
        Ok(Json(Blamed { blocks, next_line }))
    }

    /// Counts the lines of a file by the author who last changed them: whom to ask about it, and how many know it.
    ///
    /// # Examples
    ///
    /// Whose code this is:
    ///
    /// ```json
    /// { "path": "README.md" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For a whole directory, `contributors` with its `path` counts commits instead of lines.
    ///
    /// # Notes
    ///
    /// - It reads the file's whole history, which takes a while for an old file of many changes.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `BINARY_FILE`
    /// - `FILE_TOO_LARGE`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Count a file's surviving lines by author",
        related(Repo::blame, Repo::contributors),
        aliases("ownership"),
        found_by("who knows this file best", "whom should I ask to review parser.rs"),
        read_only,
        blocking
    )]
    pub fn owners(
        &self,
        /// The file.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
    ) -> Result<Json<Owners>, GitError> {
        let repository = self.open()?;
        let blob = Snapshot::of(&repository, &revision)?.text(&path)?;
        let blame = blame_of(&repository, &path, &revision, None)?;
        Ok(Json(Owners {
            lines: lines(blob.content()).count(),
            owners: owners(&blame),
        }))
    }
}

fn blame_of<'r>(
    repository: &'r Repository,
    path: &RepoPath,
    revision: &Revision,
    range: Option<(u32, u32)>,
) -> Result<Blame<'r>, GitError> {
    let mut options = BlameOptions::new();
    options
        .newest_commit(revision.commit(repository)?.id())
        .use_mailmap(true);
    if let Some((first, last)) = range {
        options.min_line(first as usize).max_line(last as usize);
    }
    Ok(repository.blame_file(path.as_path(), Some(&mut options))?)
}

fn block(repository: &Repository, hunk: &BlameHunk<'_>, text: &[&[u8]]) -> Result<Block, GitError> {
    let line = hunk.final_start_line();
    let commit = repository.find_commit(hunk.final_commit_id())?;
    let text = text
        .iter()
        .skip(line.saturating_sub(1))
        .take(hunk.lines_in_hunk());
    Ok(Block {
        line,
        commit: CommitLine::of(&commit)?,
        text: text.map(|line| shortened(line, 300)).collect(),
    })
}

fn owners(blame: &Blame<'_>) -> Vec<Owner> {
    let mut by_author: HashMap<String, Owner> = HashMap::new();
    for hunk in blame.iter() {
        let Some(signature) = hunk.final_signature() else {
            continue;
        };
        let author = String::from_utf8_lossy(signature.name_bytes()).into_owned();
        let when = timestamp(signature.when());
        let owner = by_author.entry(author.clone()).or_insert(Owner {
            author,
            lines: 0,
            latest: when,
        });
        owner.lines += hunk.lines_in_hunk();
        owner.latest = owner.latest.max(when);
    }
    let mut owners: Vec<Owner> = by_author.into_values().collect();
    owners.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.author.cmp(&b.author)));
    owners
}

/// A line past a file's end.
pub(super) fn line_not_found(path: &RepoPath, line: u32, lines: usize) -> GitError {
    GitError::LineNotFound {
        path: path.as_str().to_owned(),
        line,
        lines,
    }
}
