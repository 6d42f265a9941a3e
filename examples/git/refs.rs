//! Branches and tags, and what they contain. A single name is looked up in `names`.

use super::{
    commits::CommitLine,
    errors::{GitError, still_wanted},
    page::{Page, Skip},
    repo::Repo,
    revision::Revision,
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
        Some(Self { name, ahead, behind })
    }
}

/// Whose branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// A tag.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TagLine {
    /// Its name.
    pub name: String,
    /// The commit it marks.
    pub commit: CommitLine,
    /// Its own message, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The names whose histories hold a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Containing {
    /// The commit.
    pub commit: CommitLine,
    /// Branches, local ones first.
    pub branches: Vec<String>,
    /// Tags, the oldest first: the first is the release it came with.
    pub tags: Vec<String>,
    /// Whether there are more of either than the limit.
    pub truncated: bool,
}

impl Repo {
    /// Lists branches with their newest commits, the most recently used one first.
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
        Ok(Json(page.try_map(|(branch, commit)| branch_line(&repository, &branch, &commit))?))
    }

    /// Lists tags with the commits they mark, the newest commit first.
    ///
    /// # Examples
    ///
    /// The last three releases:
    ///
    /// ```json
    /// { "limit": 3 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - For what came between two of them, use `log` with `revision` and `exclude`.
    ///
    /// # Notes
    ///
    /// - Tags of anything but commits are left out.
    ///
    /// # Errors
    ///
    /// - `REPOSITORY`
    #[pd_tool(
        summary = "List tags, newest first",
        related(Repo::describe, Repo::branches),
        aliases("releases"),
        read_only,
        blocking
    )]
    pub fn tags(
        &self,
        #[arg(default = 0)] skip: Skip,
        /// How many tags to return.
        #[arg(default = 50, minimum = 1, maximum = 500)]
        limit: u32,
    ) -> Result<Json<Page<TagLine>>, GitError> {
        let repository = self.open()?;
        let mut tags = tagged(&repository)?;
        tags.reverse();
        Ok(Json(Page::of(tags, skip, limit).try_map(|(tag, commit)| tag_line(&tag, &commit))?))
    }

    /// Tells which branches and tags have a commit in their history: whether a fix is merged, and since which release
    /// it is out.
    ///
    /// # Examples
    ///
    /// Where the current commit has arrived:
    ///
    /// ```json
    /// { "revision": "HEAD" }
    /// ```
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `NOT_A_COMMIT`
    #[pd_tool(
        summary = "Find branches and tags that contain a commit",
        related(Repo::describe, Repo::branches, Repo::tags),
        read_only,
        blocking
    )]
    pub fn contains(
        &self,
        revision: Revision,
        /// How many branches, and how many tags, to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Containing>, GitError> {
        let repository = self.open()?;
        let commit = revision.commit(&repository)?;
        let branches = repository.branches(None)?.flatten().map(|(branch, _)| branch.into_reference());
        let branches = branches.filter_map(|reference| reference.peel_to_commit().ok().map(|tip| (reference, tip)));
        let (branches, more_branches) = containing(&repository, &commit, branches, limit, call)?;
        let (tags, more_tags) = containing(&repository, &commit, tagged(&repository)?.into_iter(), limit, call)?;
        Ok(Json(Containing { commit: CommitLine::of(&commit)?, branches, tags, truncated: more_branches || more_tags }))
    }
}

/// `main` for `refs/heads/main`.
pub(super) fn short_name(reference: &Reference<'_>) -> String {
    String::from_utf8_lossy(reference.shorthand_bytes()).into_owned()
}

fn branch_line(repository: &Repository, branch: &Branch<'_>, commit: &Commit<'_>) -> Result<BranchLine, GitError> {
    Ok(BranchLine {
        name: short_name(branch.get()),
        is_head: branch.is_head(),
        commit: CommitLine::of(commit)?,
        upstream: Upstream::of(repository, branch),
    })
}

fn tag_line(tag: &Reference<'_>, commit: &Commit<'_>) -> Result<TagLine, GitError> {
    let annotation = tag.peel_to_tag().ok();
    let message = annotation.as_ref().and_then(|tag| tag.message_bytes());
    Ok(TagLine {
        name: short_name(tag),
        commit: CommitLine::of(commit)?,
        message: message.map(|text| String::from_utf8_lossy(text).trim_end().to_owned()),
    })
}

/// All tags of commits, the oldest commit first.
fn tagged(repository: &Repository) -> Result<Vec<(Reference<'_>, Commit<'_>)>, GitError> {
    let tags = repository.references_glob("refs/tags/*")?.flatten();
    let mut tagged: Vec<_> = tags.filter_map(|tag| tag.peel_to_commit().ok().map(|commit| (tag, commit))).collect();
    tagged.sort_by_key(|(_, commit)| commit.time().seconds());
    Ok(tagged)
}

/// The first `limit` of the `tips` whose history holds `commit`, and whether there are more.
fn containing<'r>(
    repository: &Repository,
    commit: &Commit<'_>,
    tips: impl Iterator<Item = (Reference<'r>, Commit<'r>)>,
    limit: u32,
    call: &CallContext,
) -> Result<(Vec<String>, bool), GitError> {
    let mut names = Vec::new();
    for (reference, tip) in tips {
        still_wanted(call)?;
        if tip.id() != commit.id() && !repository.graph_descendant_of(tip.id(), commit.id())? {
            continue;
        }
        if names.len() == limit as usize {
            return Ok((names, true));
        }
        names.push(short_name(&reference));
    }
    Ok((names, false))
}
