//! The life of one file, through renamings.

use super::{
    changes::{Change, FileChange, diff_of, find_renames, new_path, path_options},
    commits::{CommitLine, Walk, at, touches},
    errors::GitError,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot},
};
use git2::{Commit, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// One event in a file's life.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileEvent {
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitLine,
    /// What it did to the file.
    #[serde(flatten)]
    pub file: FileChange,
}

impl Repo {
    /// Lists the versions of one file: the commits that changed it, newest first, and what each did to it. Where a commit
    /// renamed the file, the list goes on under the old name.
    ///
    /// # Examples
    ///
    /// How a file came to be:
    ///
    /// ```json
    /// { "path": "README.md", "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For the lines of one change, call `diff` with the commit as `to` and the file as `path`.
    /// - For a directory, or to filter by author and date, use `log`.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Follow one file through its changes and renamings",
        related(Repo::log, Repo::blame, Repo::diff),
        found_by("when was this file renamed", "all versions of config.toml"),
        read_only,
        blocking
    )]
    pub fn file_history(
        &self,
        /// The file, as it is called at `revision`.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        #[arg(default = 0)] skip: Skip,
        /// How many changes to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<FileEvent>>, GitError> {
        let repository = self.open()?;
        Snapshot::of(&repository, &revision)?.file(&path)?;
        let mut name = path.as_str().to_owned();
        let mut page = Pager::new(skip, limit);
        for commit in Walk::from(&repository, revision.commit(&repository)?.id(), call)? {
            let commit = commit?;
            if !touches(&commit, Path::new(&name))? {
                continue;
            }
            let Some(file) = change_of(&repository, &commit, &name)? else {
                continue;
            };
            let born = file.change == Change::Added;
            name = file.old_path.clone().unwrap_or(name);
            if !page.offer(|| {
                Ok(FileEvent {
                    commit: CommitLine::of(&commit)?,
                    file,
                })
            })? || born
            {
                break;
            }
        }
        Ok(Json(page.finish()))
    }
}

/// What `commit` did to the file that is called `name` after it.
fn change_of(
    repository: &Repository,
    commit: &Commit<'_>,
    name: &str,
) -> Result<Option<FileChange>, GitError> {
    let is_new = match commit.parent_count() {
        0 => true,
        _ => at(&commit.parent(0)?, Path::new(name))?.is_none(),
    };
    // Only a file that appears may have been renamed; then the whole commit must be searched for its old name.
    let path = RepoPath::from(name);
    let mut options = path_options(Some(&path).filter(|_| !is_new));
    let mut diff = diff_of(repository, commit, &mut options)?;
    if is_new && commit.parent_count() > 0 {
        find_renames(&mut diff)?;
    }
    let index = diff.deltas().position(|delta| new_path(&delta) == name);
    index.map_or(Ok(None), |index| FileChange::of(&diff, index))
}
