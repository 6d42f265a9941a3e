//! How the histories of two revisions relate.

use super::{commits::CommitLine, errors::GitError, repo::Repo, revision::Revision};
use git2::{Oid, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// Finds the newest commit that two revisions have in common: where a branch started, or was last merged.
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
        found_by("where did my branch start", "last common version of two branches"),
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
        let (a, b) = (
            one.commit(&repository)?.id(),
            other.commit(&repository)?.id(),
        );
        let base = common_ancestor(&repository, (&one, a), (&other, b))?;
        let is_ambiguous = repository.merge_bases(a, b)?.len() > 1;
        Ok(Json(MergeBase {
            base: CommitLine::of(&repository.find_commit(base)?)?,
            is_ambiguous,
        }))
    }

    /// Counts the commits that each of two revisions has and the other has not: whether a branch is out of date, and how
    /// much is left to push or to pull.
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
        found_by("is my branch out of date", "how many commits do I have to push"),
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
        let (own, theirs) = (
            revision.commit(&repository)?.id(),
            base.commit(&repository)?.id(),
        );
        let (ahead, behind) = repository.graph_ahead_behind(own, theirs)?;
        Ok(Json(Distance { ahead, behind }))
    }
}

/// The best common ancestor of two commits, each under the name its caller gave it.
pub(super) fn common_ancestor(
    repository: &Repository,
    one: (&Revision, Oid),
    other: (&Revision, Oid),
) -> Result<Oid, GitError> {
    repository
        .merge_base(one.1, other.1)
        .map_err(|error| match error.code() {
            git2::ErrorCode::NotFound => {
                GitError::UnrelatedHistories(one.0.to_string(), other.0.to_string())
            }
            _ => error.into(),
        })
}
