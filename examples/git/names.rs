//! From a name to the commit it stands for, and back.

use super::{
    branches::short_name, commits::CommitLine, errors::GitError, repo::Repo, revision::Revision,
};
use git2::{Commit, DescribeOptions, Reference, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// More names than these are noise.
const NAMES_MAX: usize = 50;

/// What a revision stands for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Resolved {
    /// The full id of the object named.
    pub id: String,
    /// `commit`, `tag`, `tree` or `blob`.
    pub kind: &'static str,
    /// The commit it leads to. Absent for trees and blobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitLine>,
    /// Branches and tags that mark the same commit.
    pub names: Vec<String>,
}

impl Repo {
    /// Turns a name or expression into the id it stands for now, and tells which other names mark the same commit.
    ///
    /// # Examples
    ///
    /// What is checked out:
    ///
    /// ```json
    /// { "revision": "HEAD" }
    /// ```
    ///
    /// The files of that commit, as an object of their own:
    ///
    /// ```json
    /// { "revision": "HEAD^{tree}" }
    /// ```
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `AMBIGUOUS_REVISION`
    #[pd_tool(
        summary = "Turn a revision into a commit id",
        related(Repo::show, Repo::describe),
        aliases("rev_parse", "points_at"),
        found_by("which commit does v1.2 point to", "full hash of HEAD~3"),
        read_only,
        blocking
    )]
    pub fn resolve(&self, revision: Revision) -> Result<Json<Resolved>, GitError> {
        let repository = self.open()?;
        let object = revision.object(&repository)?;
        let commit = object.peel_to_commit().ok();
        let names = commit
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), |commit| names_of(&repository, commit))?;
        Ok(Json(Resolved {
            id: object.id().to_string(),
            kind: object.kind().map_or("object", |kind| kind.str()),
            commit: commit.as_ref().map(CommitLine::of).transpose()?,
            names,
        }))
    }

    /// Names a commit after the nearest tag in its history, as in `v1.2-3-gabc1234`: three commits past `v1.2`, the last
    /// release.
    /// Without any tag it is the abbreviated id.
    ///
    /// # Examples
    ///
    /// Which version is checked out:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// # Guidance
    ///
    /// - For the first release that has a commit, use `contains`: it looks forward, this looks back.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Name a commit after the nearest tag before it",
        related(Repo::contains, Repo::tags),
        aliases("version"),
        found_by("which version am I running", "how far are we past the last release"),
        read_only,
        blocking
    )]
    pub fn describe(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
    ) -> Result<String, GitError> {
        let repository = self.open()?;
        let commit = revision.commit(&repository)?;
        let mut options = DescribeOptions::new();
        let description = commit
            .as_object()
            .describe(options.describe_tags().show_commit_oid_as_fallback(true))?;
        Ok(description.format(None)?)
    }
}

fn names_of(repository: &Repository, commit: &Commit<'_>) -> Result<Vec<String>, GitError> {
    let references = repository.references()?.flatten();
    let marks = |reference: &Reference<'_>| {
        reference
            .peel_to_commit()
            .is_ok_and(|marked| marked.id() == commit.id())
    };
    Ok(references
        .filter(marks)
        .take(NAMES_MAX)
        .map(|reference| short_name(&reference))
        .collect())
}
