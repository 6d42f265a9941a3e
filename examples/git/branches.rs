//! Branches, and how they compare with those they follow.

use super::{
    commits::CommitLine,
    errors::GitError,
    page::{Page, Skip},
    repo::Repo,
};
use git2::{Branch, BranchType, Commit, Reference, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// A branch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BranchLine {
    /// Its name; `origin/main` for one of a remote.
    pub name: String,
    /// Whether it is checked out.
    pub is_head: bool,
    /// Its newest commit.
    pub commit: CommitLine,
    /// How it compares with the branch it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
}

/// The branch that another one follows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Upstream {
    /// Its name.
    pub name: String,
    /// Commits that it lacks.
    pub ahead: usize,
    /// Commits that only it has.
    pub behind: usize,
}

impl Upstream {
    /// `None` where the branch follows none, or one that is gone.
    pub(super) fn of(repository: &Repository, branch: &Branch<'_>) -> Option<Self> {
        let upstream = branch.upstream().ok()?;
        let name = String::from_utf8_lossy(upstream.name_bytes().ok()?).into_owned();
        let (own, theirs) = (branch.get().target()?, upstream.get().target()?);
        let (ahead, behind) = repository.graph_ahead_behind(own, theirs).ok()?;
        Some(Self {
            name,
            ahead,
            behind,
        })
    }
}

/// Whose branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, ToolArg)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// This repository's own.
    Local,
    /// Those last seen at a remote.
    Remote,
    /// Both.
    All,
}

impl Side {
    fn filter(self) -> Option<BranchType> {
        match self {
            Self::Local => Some(BranchType::Local),
            Self::Remote => Some(BranchType::Remote),
            Self::All => None,
        }
    }
}

impl Repo {
    /// Lists branches with their newest commits, the most recently used one first: what people are working on.
    ///
    /// # Examples
    ///
    /// This repository's own:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// Everything that is known, remotes' branches too:
    ///
    /// ```json
    /// { "side": "all", "limit": 20 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To know which branches hold a commit, use `contains`.
    ///
    /// # Notes
    ///
    /// - Nothing is fetched: a remote's branches are as this repository last saw them.
    ///
    /// # Errors
    ///
    /// - `REPOSITORY`
    #[pd_tool(
        summary = "List branches with their newest commits",
        related(Repo::tags, Repo::contains, Repo::ahead_behind),
        found_by(
            "what are people working on right now",
            "stale branches we could delete"
        ),
        read_only,
        blocking
    )]
    pub fn branches(
        &self,
        /// Whose branches to list.
        #[arg(default = "local")]
        side: Side,
        #[arg(default = 0)] skip: Skip,
        /// How many branches to return.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
    ) -> Result<Json<Page<BranchLine>>, GitError> {
        let repository = self.open()?;
        let mut branches = Vec::new();
        for branch in repository.branches(side.filter())? {
            let (branch, _) = branch?;
            // A branch may be broken, or, as `origin/HEAD`, point to one that is gone.
            if let Ok(commit) = branch.get().peel_to_commit() {
                branches.push((branch, commit));
            }
        }
        branches.sort_by_key(|(_, commit)| Reverse(commit.time().seconds()));
        let page = Page::of(branches, skip, limit);
        Ok(Json(page.try_map(|(branch, commit)| {
            branch_line(&repository, &branch, &commit)
        })?))
    }
}

/// `main` for `refs/heads/main`.
pub(super) fn short_name(reference: &Reference<'_>) -> String {
    String::from_utf8_lossy(reference.shorthand_bytes()).into_owned()
}

fn branch_line(
    repository: &Repository,
    branch: &Branch<'_>,
    commit: &Commit<'_>,
) -> Result<BranchLine, GitError> {
    Ok(BranchLine {
        name: short_name(branch.get()),
        is_head: branch.is_head(),
        commit: CommitLine::of(commit)?,
        upstream: Upstream::of(repository, branch),
    })
}
