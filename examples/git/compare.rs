//! Two revisions side by side.

use super::{
    changes::{FileChange, diff_of, find_renames, patch_text},
    commits::CommitLine,
    errors::GitError,
    excerpt::Excerpt,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::RepoPath,
    status::path_options,
};
use git2::{Diff, DiffOptions, Oid, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// What a change amounts to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffStat {
    /// How many files changed.
    pub files_changed: usize,
    /// Lines added in all of them.
    pub added: usize,
    /// Lines removed in all of them.
    pub removed: usize,
    /// The files, by path.
    pub files: Page<FileChange>,
}

/// Where two histories parted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergeBase {
    /// The best common ancestor.
    pub base: CommitLine,
    /// Whether there are more, as after criss-cross merges.
    pub is_ambiguous: bool,
}

/// How far two histories have grown apart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Distance {
    /// Commits that only `revision` has.
    pub ahead: usize,
    /// Commits that only `base` has.
    pub behind: usize,
}

impl Repo {
    /// Returns a unified patch from one revision to another. With `to` alone it is what that commit changed.
    ///
    /// # Examples
    ///
    /// What the last commit changed:
    ///
    /// ```json
    /// { "to": "HEAD" }
    /// ```
    ///
    /// The same, the first hundred lines with no lines of context:
    ///
    /// ```json
    /// { "to": "HEAD", "context_lines": 0, "limit": 100 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Call `diff_stat` first if the change may be large, then `diff` with the `path` of interest.
    /// - To review a branch, pass its target as `from`, the branch as `to`, and set `from_merge_base`.
    ///
    /// # Notes
    ///
    /// - `[nothing]` means that there is no difference.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `UNRELATED_HISTORIES`
    #[pd_tool(
        summary = "Show the changed lines between revisions",
        related(Repo::diff_stat, Repo::show, Repo::merge_base, Repo::uncommitted),
        aliases("patch"),
        read_only,
        blocking
    )]
    pub fn diff(
        &self,
        /// The older side; by default the first parent of `to`.
        from: Option<Revision>,
        /// The newer side.
        #[arg(default = "HEAD")]
        to: Revision,
        /// Begin where the two parted instead of at `from`, as `git diff from...to` does.
        #[arg(default = false)]
        from_merge_base: bool,
        /// Only what is at or below this path.
        path: Option<RepoPath>,
        /// Unchanged lines to show around a change.
        #[arg(default = 3, maximum = 50)]
        context_lines: u32,
        /// How many lines of the patch to pass over.
        #[arg(default = 0)]
        skip: u32,
        /// How many lines of the patch to return.
        #[arg(default = 400, minimum = 1, maximum = 2000)]
        limit: u32,
        call: &CallContext,
    ) -> Result<String, GitError> {
        let repository = self.open()?;
        let mut options = path_options(path.as_ref());
        options.context_lines(context_lines);
        let sides = Sides { from, to, from_merge_base };
        let diff = sides.diff(&repository, &mut options)?;
        patch_text(&diff, Excerpt::new(skip, limit), call)
    }

    /// Counts the files and lines that differ between two revisions. With `to` alone it is about what that commit
    /// changed.
    ///
    /// # Examples
    ///
    /// How large the last commit is:
    ///
    /// ```json
    /// { "to": "HEAD", "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Go on with `diff` and the `path` of a file to see its lines.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `UNRELATED_HISTORIES`
    #[pd_tool(
        summary = "Count changed files and lines between revisions",
        related(Repo::diff, Repo::ahead_behind, Repo::churn),
        read_only,
        blocking
    )]
    pub fn diff_stat(
        &self,
        /// The older side; by default the first parent of `to`.
        from: Option<Revision>,
        /// The newer side.
        #[arg(default = "HEAD")]
        to: Revision,
        /// Begin where the two parted instead of at `from`, as `git diff from...to` does.
        #[arg(default = false)]
        from_merge_base: bool,
        /// Only what is at or below this path.
        path: Option<RepoPath>,
        #[arg(default = 0)] skip: Skip,
        /// How many files to list; all are counted.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<DiffStat>, GitError> {
        let repository = self.open()?;
        let sides = Sides { from, to, from_merge_base };
        let diff = sides.diff(&repository, &mut path_options(path.as_ref()))?;
        let (mut added, mut removed) = (0, 0);
        let mut files = Pager::new(skip, limit);
        for change in FileChange::all(&diff, call) {
            let change = change?;
            added += change.added;
            removed += change.removed;
            files.offer(|| Ok(change))?;
        }
        Ok(Json(DiffStat { files_changed: diff.deltas().len(), added, removed, files: files.finish() }))
    }

    /// Finds the newest commit that two revisions have in common: where a branch began, or was last merged.
    ///
    /// # Examples
    ///
    /// A revision and itself, which is its own answer:
    ///
    /// ```json
    /// { "one": "HEAD", "other": "HEAD" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To compare from there on, `diff` with `from_merge_base` needs no call to this tool.
    ///
    /// # Errors
    ///
    /// - `UNRELATED_HISTORIES`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Find where two branches parted",
        related(Repo::ahead_behind, Repo::diff),
        aliases("common_ancestor"),
        read_only,
        blocking
    )]
    pub fn merge_base(
        &self,
        /// A revision.
        one: Revision,
        /// Another one.
        #[arg(default = "HEAD")]
        other: Revision,
    ) -> Result<Json<MergeBase>, GitError> {
        let repository = self.open()?;
        let (a, b) = (one.commit(&repository)?.id(), other.commit(&repository)?.id());
        let base = common_ancestor(&repository, (&one, a), (&other, b))?;
        let is_ambiguous = repository.merge_bases(a, b)?.len() > 1;
        Ok(Json(MergeBase { base: CommitLine::of(&repository.find_commit(base)?)?, is_ambiguous }))
    }

    /// Counts the commits that each of two revisions has and the other has not.
    ///
    /// # Examples
    ///
    /// A revision and itself, where nothing is to be told:
    ///
    /// ```json
    /// { "base": "HEAD" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - `log` lists these commits: one revision as `revision`, the other as `exclude`.
    /// - `branches` tells the same of every branch and its upstream.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Count commits one branch has over another",
        related(Repo::log, Repo::merge_base, Repo::branches),
        read_only,
        blocking
    )]
    pub fn ahead_behind(
        &self,
        /// What to compare with.
        base: Revision,
        #[arg(default = "HEAD")] revision: Revision,
    ) -> Result<Json<Distance>, GitError> {
        let repository = self.open()?;
        let (own, theirs) = (revision.commit(&repository)?.id(), base.commit(&repository)?.id());
        let (ahead, behind) = repository.graph_ahead_behind(own, theirs)?;
        Ok(Json(Distance { ahead, behind }))
    }
}

/// What a diff is between, as the caller put it.
struct Sides {
    from: Option<Revision>,
    to: Revision,
    from_merge_base: bool,
}

impl Sides {
    fn diff<'r>(&self, repository: &'r Repository, options: &mut DiffOptions) -> Result<Diff<'r>, GitError> {
        let to = self.to.commit(repository)?;
        let mut diff = match &self.from {
            None => diff_of(repository, &to, options)?,
            Some(from) => {
                let mut start = from.commit(repository)?.id();
                if self.from_merge_base {
                    start = common_ancestor(repository, (from, start), (&self.to, to.id()))?;
                }
                let before = repository.find_commit(start)?.tree()?;
                repository.diff_tree_to_tree(Some(&before), Some(&to.tree()?), Some(options))?
            }
        };
        find_renames(&mut diff)?;
        Ok(diff)
    }
}

fn common_ancestor(repository: &Repository, one: (&Revision, Oid), other: (&Revision, Oid)) -> Result<Oid, GitError> {
    repository.merge_base(one.1, other.1).map_err(|error| match error.code() {
        git2::ErrorCode::NotFound => GitError::UnrelatedHistories(one.0.to_string(), other.0.to_string()),
        _ => error.into(),
    })
}
