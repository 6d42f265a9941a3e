//! Tags, and which tags and branches contain a commit.

use super::{
    branches::short_name,
    commits::CommitLine,
    errors::{GitError, still_wanted},
    excerpt::{MESSAGE_MAX, shortened},
    page::{Page, Skip},
    repo::Repo,
    revision::Revision,
};
use git2::{Commit, Reference, Repository};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// Lists tags with the commits they mark, the newest commit first: the latest release, and which
    /// version came out when.
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
        found_by("what is the latest release", "when did version 2.0 come out"),
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
        Ok(Json(
            Page::of(tags, skip, limit).try_map(|(tag, commit)| tag_line(&tag, &commit))?,
        ))
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
        found_by("is this fix released yet", "has my commit been merged into main"),
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
        let branches = repository
            .branches(None)?
            .flatten()
            .map(|(branch, _)| branch.into_reference());
        let branches = branches
            .filter_map(|reference| reference.peel_to_commit().ok().map(|tip| (reference, tip)));
        let (branches, more_branches) = containing(&repository, &commit, branches, limit, call)?;
        let (tags, more_tags) = containing(
            &repository,
            &commit,
            tagged(&repository)?.into_iter(),
            limit,
            call,
        )?;
        Ok(Json(Containing {
            commit: CommitLine::of(&commit)?,
            branches,
            tags,
            truncated: more_branches || more_tags,
        }))
    }
}

fn tag_line(tag: &Reference<'_>, commit: &Commit<'_>) -> Result<TagLine, GitError> {
    let annotation = tag.peel_to_tag().ok();
    let message = annotation.as_ref().and_then(|tag| tag.message_bytes());
    Ok(TagLine {
        name: short_name(tag),
        commit: CommitLine::of(commit)?,
        message: message.map(|text| shortened(text.trim_ascii_end(), MESSAGE_MAX)),
    })
}

/// All tags of commits, the oldest commit first.
fn tagged(repository: &Repository) -> Result<Vec<(Reference<'_>, Commit<'_>)>, GitError> {
    let tags = repository.references_glob("refs/tags/*")?.flatten();
    let mut tagged: Vec<_> = tags
        .filter_map(|tag| tag.peel_to_commit().ok().map(|commit| (tag, commit)))
        .collect();
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
