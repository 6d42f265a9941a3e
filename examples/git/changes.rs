//! What changed between two trees: the diff itself, and how it is written in an answer.

use super::{
    errors::{GitError, still_wanted},
    excerpt::Excerpt,
    snapshot::{FILE_MAX, RepoPath},
};
use git2::{
    Commit, Delta, Diff, DiffDelta, DiffFindOptions, DiffFormat, DiffOptions, Patch, Repository,
};
use pd_runtime::CallContext;
use schemars::JsonSchema;
use serde::Serialize;

/// What happened to one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file; after a renaming its new path.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// Its path before it was renamed or copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Lines added; 0 for binary files.
    pub added: usize,
    /// Lines removed; 0 for binary files.
    pub removed: usize,
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It was not there before.
    Added,
    /// It is no longer there.
    Deleted,
    /// Its content or mode changed.
    Modified,
    /// It has another path.
    Renamed,
    /// It is a copy of another file.
    Copied,
    /// It became another kind of entry, such as a symbolic link.
    TypeChanged,
    /// It is in the working tree, but not in git.
    Untracked,
    /// A merge left it for someone to resolve.
    Conflicted,
}

impl Change {
    pub(super) fn of(status: Delta) -> Self {
        match status {
            Delta::Added => Self::Added,
            Delta::Deleted => Self::Deleted,
            Delta::Renamed => Self::Renamed,
            Delta::Copied => Self::Copied,
            Delta::Typechange => Self::TypeChanged,
            Delta::Untracked => Self::Untracked,
            Delta::Conflicted => Self::Conflicted,
            Delta::Modified | Delta::Unmodified | Delta::Ignored | Delta::Unreadable => {
                Self::Modified
            }
        }
    }
}

impl FileChange {
    /// The change number `index` of `diff`, lines counted.
    pub(super) fn of(diff: &Diff<'_>, index: usize) -> Result<Option<Self>, GitError> {
        let Some(delta) = diff.get_delta(index) else {
            return Ok(None);
        };
        let lines = Patch::from_diff(diff, index)?
            .map(|patch| patch.line_stats())
            .transpose()?;
        let (_, added, removed) = lines.unwrap_or_default();
        let path = new_path(&delta);
        let old_path = Some(old_path(&delta)).filter(|old| *old != path);
        Ok(Some(Self {
            path,
            change: Change::of(delta.status()),
            old_path,
            added,
            removed,
        }))
    }

    /// All changes of `diff`, until the call is cancelled.
    pub(super) fn all<'d>(
        diff: &'d Diff<'_>,
        call: &'d CallContext,
    ) -> impl Iterator<Item = Result<Self, GitError>> + use<'d> {
        (0..diff.deltas().len()).filter_map(move |index| {
            let change = still_wanted(call).and_then(|()| Self::of(diff, index));
            change.transpose()
        })
    }
}

/// What `commit` changed against its first parent, or against nothing if it has none.
pub(super) fn diff_of<'r>(
    repository: &'r Repository,
    commit: &Commit<'_>,
    options: &mut DiffOptions,
) -> Result<Diff<'r>, GitError> {
    let before = match commit.parent_count() {
        0 => None,
        _ => Some(commit.parent(0)?.tree()?),
    };
    Ok(repository.diff_tree_to_tree(before.as_ref(), Some(&commit.tree()?), Some(options))?)
}

/// Options for a diff of what is at or below `path`, taken literally.
pub(super) fn path_options(path: Option<&RepoPath>) -> DiffOptions {
    let mut options = DiffOptions::new();
    options.max_size(FILE_MAX as i64);
    if let Some(path) = path.filter(|path| !path.is_root()) {
        options.disable_pathspec_match(true).pathspec(path.as_str());
    }
    options
}

/// Recognises renamed files in `diff`, as far as that does not take long.
pub(super) fn find_renames(diff: &mut Diff<'_>) -> Result<(), GitError> {
    const CANDIDATES: usize = 400;
    Ok(diff.find_similar(Some(
        DiffFindOptions::new()
            .renames(true)
            .rename_limit(CANDIDATES),
    ))?)
}

/// An excerpt of `diff` as a unified patch.
pub(super) fn patch_text(
    diff: &Diff<'_>,
    mut excerpt: Excerpt,
    call: &CallContext,
) -> Result<String, GitError> {
    let printed = diff.print(DiffFormat::Patch, |_, _, line| {
        let origin = Some(line.origin()).filter(|origin| matches!(origin, '+' | '-' | ' '));
        !call.is_cancelled()
            && lines(line.content()).all(|content| excerpt.line(&marked(origin, content)))
    });
    still_wanted(call)?;
    match printed {
        // The callback's way of saying that the excerpt is full.
        Err(error) if error.code() != git2::ErrorCode::User => Err(error.into()),
        _ => Ok(excerpt.finish("skip", |next| next)),
    }
}

/// The path after a change.
pub(super) fn new_path(delta: &DiffDelta<'_>) -> String {
    let path = delta
        .new_file()
        .path_bytes()
        .or_else(|| delta.old_file().path_bytes());
    String::from_utf8_lossy(path.unwrap_or_default()).into_owned()
}

fn old_path(delta: &DiffDelta<'_>) -> String {
    let path = delta
        .old_file()
        .path_bytes()
        .or_else(|| delta.new_file().path_bytes());
    String::from_utf8_lossy(path.unwrap_or_default()).into_owned()
}

/// The lines of a text, without their ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

fn marked(origin: Option<char>, content: &[u8]) -> Vec<u8> {
    origin
        .map(|mark| mark as u8)
        .into_iter()
        .chain(content.iter().copied())
        .collect()
}
