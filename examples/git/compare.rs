//! Two revisions side by side: what differs in their files. How their histories relate is in `ancestry`.

use super::{
    ancestry::common_ancestor,
    changes::{FileChange, diff_of, find_renames, patch_text, path_options},
    errors::GitError,
    excerpt::Excerpt,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::RepoPath,
};
use git2::{Diff, DiffOptions, Repository};
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

impl Repo {
    /// Returns a unified patch from one revision to another, such as a release and the next. With `to` alone it is what that commit changed.
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
    /// - To review a branch or pull request, pass its target as `from`, the branch as `to`, and set `from_merge_base`.
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
        found_by(
            "what is different in the new release",
            "review this branch before I merge it"
        ),
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
        let sides = Sides {
            from,
            to,
            from_merge_base,
        };
        let diff = sides.diff(&repository, &mut options)?;
        patch_text(&diff, Excerpt::new(skip, limit), call)
    }

    /// Tells how big a change is: counts the files and lines that differ between two revisions. With `to` alone it is
    /// about what that commit changed.
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
    /// - For a pull request, pass its target as `from`, its branch as `to`, and set `from_merge_base`.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `UNRELATED_HISTORIES`
    #[pd_tool(
        summary = "Count changed files and lines between revisions",
        related(Repo::diff, Repo::ahead_behind, Repo::churn),
        found_by("how big is this change", "how many lines did this pull request add"),
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
        let sides = Sides {
            from,
            to,
            from_merge_base,
        };
        let diff = sides.diff(&repository, &mut path_options(path.as_ref()))?;
        let (mut added, mut removed) = (0, 0);
        let mut files = Pager::new(skip, limit);
        for change in FileChange::all(&diff, call) {
            let change = change?;
            added += change.added;
            removed += change.removed;
            files.offer(|| Ok(change))?;
        }
        Ok(Json(DiffStat {
            files_changed: diff.deltas().len(),
            added,
            removed,
            files: files.finish(),
        }))
    }
}

/// What a diff is between, as the caller put it.
struct Sides {
    from: Option<Revision>,
    to: Revision,
    from_merge_base: bool,
}

impl Sides {
    fn diff<'r>(
        &self,
        repository: &'r Repository,
        options: &mut DiffOptions,
    ) -> Result<Diff<'r>, GitError> {
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
