//! What can go wrong, declared once for every tool: the variant is the code a caller sees, its doc comment what
//! the caller can do about it. A tool's `# Errors` section picks the ones worth knowing before a call.

use pd_runtime::prelude::*;

/// Why a question about the repository has no answer.
#[derive(Debug, thiserror::Error, ToolErrors)]
#[non_exhaustive]
pub enum GitError {
    /// Name a branch, a tag or a commit; `branches`, `tags` and `log` list them.
    #[error("no revision is called `{revision}`{}", did_you_mean(.nearest))]
    RevisionNotFound {
        /// What the caller asked for.
        revision: String,
        /// Branches and tags of similar names.
        nearest: Vec<String>,
    },

    /// Write more characters of the id, or a branch's or tag's full name (`refs/heads/…`).
    #[error("`{0}` fits more than one object")]
    AmbiguousRevision(String),

    /// Only commits have a history and files: name a commit, branch or tag.
    #[error("`{revision}` is a {kind}, not a commit")]
    NotACommit {
        /// What the caller asked for.
        revision: String,
        /// What it is instead.
        kind: &'static str,
    },

    /// Nothing was ever committed; `status` shows the files that could be.
    #[error("the repository has no commit yet")]
    EmptyRepository,

    /// Look for the file with `find`, or list its directory with `ls`; the path may exist at another revision only.
    #[error("there is no `{path}` at {revision}{}", did_you_mean(.nearest))]
    PathNotFound {
        /// What the caller asked for.
        path: String,
        /// Where it was looked for.
        revision: String,
        /// Paths that look like it.
        nearest: Vec<String>,
    },

    /// Name a file; `ls` lists what a directory holds.
    #[error("`{path}` is a {kind}, not a file")]
    NotAFile {
        /// What the caller asked for.
        path: String,
        /// What it is instead.
        kind: &'static str,
    },

    /// Name a directory; `cat` reads a file.
    #[error("`{0}` is not a directory")]
    NotADirectory(String),

    /// It has no lines to show; `ls` tells its size, `file_history` its changes.
    #[error("`{0}` is a binary file")]
    BinaryFile(String),

    /// Only files up to 32 MiB are read; `ls` tells a file's size, `file_history` its changes.
    #[error("`{path}` is too large to read: {bytes} bytes")]
    FileTooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: usize,
    },

    /// Ask for lines that exist.
    #[error("`{path}` has {lines} lines, none of them is number {line}")]
    LineNotFound {
        /// The file.
        path: String,
        /// The line the caller asked for.
        line: u32,
        /// How many there are.
        lines: usize,
    },

    /// Patterns are regular expressions without look-around and back-references: escape `.`, `(`, `[` and the like
    /// with a backslash to mean the character itself.
    #[error("{0}")]
    InvalidPattern(#[from] regex::Error),

    /// They have no common ancestor; `diff` still compares their files.
    #[error("`{0}` and `{1}` share no history")]
    UnrelatedHistories(String, String),

    /// A bare repository has commits only: compare two of them with `diff`.
    #[error("the repository is bare: it has no working tree")]
    NoWorkingTree,

    /// Nothing went wrong: call again if the answer is still wanted.
    #[tool_error(hidden)]
    #[error("the call was cancelled")]
    Cancelled,

    /// The repository itself is at fault, not the arguments; `git fsck` on the server's side may tell more.
    #[error("git: {}", .0.message())]
    Repository(#[from] git2::Error),
}

/// Fails when the client has cancelled the call; loops ask this once a round.
pub(super) fn still_wanted(call: &CallContext) -> Result<(), GitError> {
    if call.is_cancelled() {
        Err(GitError::Cancelled)
    } else {
        Ok(())
    }
}

/// The up to three `candidates` that look most like `wanted`.
pub(super) fn nearest(wanted: &str, candidates: impl Iterator<Item = String>) -> Vec<String> {
    const ALIKE: f64 = 0.8;
    let mut alike: Vec<(f64, String)> = candidates
        .map(|candidate| (strsim::jaro_winkler(wanted, &candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    alike
        .into_iter()
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean `{}`?", nearest.join("` or `"))
    }
}
