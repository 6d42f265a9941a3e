//! Where the repository stands now: the checked-out branch and what is not committed yet.

use super::{
    branches::Upstream,
    changes::{Change, find_renames, patch_text, path_options},
    errors::GitError,
    excerpt::Excerpt,
    page::{Page, Skip},
    repo::Repo,
    revision::short_id,
    snapshot::RepoPath,
};
use git2::{Branch, ErrorCode, Repository, RepositoryState, Status, StatusOptions};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// Where the repository stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Standing {
    /// The checked-out branch. Absent when HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The checked-out commit. Absent before the first commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How the branch compares with the one it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// What git is in the middle of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_progress: Option<&'static str>,
    /// Whether there is no working tree, so that nothing can be uncommitted.
    pub bare: bool,
    /// Files with changes that are not committed, by path.
    pub changes: Page<Uncommitted>,
}

/// A file with changes that are not committed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Uncommitted {
    /// The file.
    pub path: String,
    /// What the next commit will do to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged: Option<Change>,
    /// What differs in the working tree beyond that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstaged: Option<Change>,
}

impl Repo {
    /// Tells which branch and commit you are on, how they compare with the branch's upstream, whether a merge, rebase or
    /// the like is under way, and which files have changes that are not committed.
    ///
    /// # Examples
    ///
    /// The whole picture:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// Only what is tracked, for a repository with many stray files:
    ///
    /// ```json
    /// { "untracked": false, "limit": 20 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Begin here when the question is about the present; use `log` when it is about the past.
    /// - For the changed lines themselves, ask `uncommitted`.
    ///
    /// # Errors
    ///
    /// - `REPOSITORY`
    #[pd_tool(
        summary = "Show the current branch and uncommitted changes",
        related(Repo::uncommitted, Repo::log, Repo::branches),
        found_by(
            "is there anything I have not committed yet",
            "which branch am I on",
            "did the rebase finish"
        ),
        read_only,
        blocking
    )]
    pub fn status(
        &self,
        /// Whether to list files that git does not track.
        #[arg(default = true)]
        untracked: bool,
        #[arg(default = 0)] skip: Skip,
        /// How many files to list.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
    ) -> Result<Json<Standing>, GitError> {
        let repository = self.open()?;
        let changes = uncommitted_files(&repository, untracked)?;
        Ok(Json(Standing {
            branch: branch_name(&repository),
            commit: head_id(&repository)?,
            upstream: upstream(&repository),
            in_progress: in_progress(repository.state()),
            bare: repository.is_bare(),
            changes: Page::of(changes, skip, limit),
        }))
    }

    /// Returns a unified patch of the working tree against the last commit, or of one of the two steps in between.
    ///
    /// # Examples
    ///
    /// What will go into the next commit:
    ///
    /// ```json
    /// { "stage": "staged" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - `status` lists the files first; pass a `path` from there to look at one of them.
    ///
    /// # Notes
    ///
    /// - Untracked files are not part of the patch.
    ///
    /// # Errors
    ///
    /// - `NO_WORKING_TREE`
    #[pd_tool(
        summary = "Show uncommitted changes as a patch",
        related(Repo::status, Repo::diff),
        found_by("show me my local edits", "what would go into the next commit"),
        read_only,
        blocking
    )]
    pub fn uncommitted(
        &self,
        /// Which changes to show.
        #[arg(default = "all")]
        stage: Stage,
        /// Only changes at or below this path.
        path: Option<RepoPath>,
        /// How many lines of the patch to pass over.
        #[arg(default = 0)]
        skip: u32,
        /// How many lines of the patch to return.
        #[arg(default = 400, minimum = 1, maximum = 2000)]
        limit: u32,
        call: &CallContext,
    ) -> Result<String, GitError> {
        let repository = self.open()?;
        if repository.is_bare() {
            return Err(GitError::NoWorkingTree);
        }
        let head = repository.head().and_then(|head| head.peel_to_tree()).ok();
        let mut options = path_options(path.as_ref());
        let options = Some(&mut options);
        let mut diff = match stage {
            Stage::All => repository.diff_tree_to_workdir_with_index(head.as_ref(), options)?,
            Stage::Staged => repository.diff_tree_to_index(head.as_ref(), None, options)?,
            Stage::Unstaged => repository.diff_index_to_workdir(None, options)?,
        };
        find_renames(&mut diff)?;
        patch_text(&diff, Excerpt::new(skip, limit), call)
    }
}

/// Which uncommitted changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The working tree against the last commit.
    All,
    /// What the next commit will contain.
    Staged,
    /// What it will leave out.
    Unstaged,
}

fn uncommitted_files(
    repository: &Repository,
    untracked: bool,
) -> Result<Vec<Uncommitted>, GitError> {
    if repository.is_bare() {
        return Ok(Vec::new());
    }
    let mut options = StatusOptions::new();
    options
        .include_untracked(untracked)
        .renames_head_to_index(true)
        .exclude_submodules(true);
    let statuses = repository.statuses(Some(&mut options))?;
    Ok(statuses
        .iter()
        .map(|entry| uncommitted(entry.path_bytes(), entry.status()))
        .collect())
}

fn uncommitted(path: &[u8], status: Status) -> Uncommitted {
    Uncommitted {
        path: String::from_utf8_lossy(path).into_owned(),
        staged: first_of(
            status,
            &[
                (Status::INDEX_NEW, Change::Added),
                (Status::INDEX_DELETED, Change::Deleted),
                (Status::INDEX_RENAMED, Change::Renamed),
                (Status::INDEX_TYPECHANGE, Change::TypeChanged),
                (Status::INDEX_MODIFIED, Change::Modified),
            ],
        ),
        unstaged: first_of(
            status,
            &[
                (Status::CONFLICTED, Change::Conflicted),
                (Status::WT_NEW, Change::Untracked),
                (Status::WT_DELETED, Change::Deleted),
                (Status::WT_RENAMED, Change::Renamed),
                (Status::WT_TYPECHANGE, Change::TypeChanged),
                (Status::WT_MODIFIED, Change::Modified),
            ],
        ),
    }
}

fn first_of(status: Status, changes: &[(Status, Change)]) -> Option<Change> {
    changes
        .iter()
        .find(|(flag, _)| status.contains(*flag))
        .map(|(_, change)| *change)
}

/// The branch HEAD points to, born or not.
fn branch_name(repository: &Repository) -> Option<String> {
    let head = repository.find_reference("HEAD").ok()?;
    let target = head.symbolic_target_bytes()?;
    let name = target.strip_prefix(b"refs/heads/").unwrap_or(target);
    Some(String::from_utf8_lossy(name).into_owned())
}

fn head_id(repository: &Repository) -> Result<Option<String>, GitError> {
    match repository.head() {
        Ok(head) => Ok(Some(short_id(head.peel_to_commit()?.as_object())?)),
        Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn upstream(repository: &Repository) -> Option<Upstream> {
    let head = repository.head().ok().filter(|head| head.is_branch())?;
    Upstream::of(repository, &Branch::wrap(head))
}

fn in_progress(state: RepositoryState) -> Option<&'static str> {
    match state {
        RepositoryState::Clean => None,
        RepositoryState::Merge => Some("merge"),
        RepositoryState::Revert | RepositoryState::RevertSequence => Some("revert"),
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => Some("cherry-pick"),
        RepositoryState::Bisect => Some("bisect"),
        RepositoryState::Rebase
        | RepositoryState::RebaseInteractive
        | RepositoryState::RebaseMerge => Some("rebase"),
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => {
            Some("applying patches")
        }
    }
}
