//! What lies beside the history: other repositories it knows, and work put aside.

use super::{
    commits::CommitLine,
    errors::GitError,
    page::{Page, Skip},
    repo::Repo,
};
use git2::Repository;
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// A repository that this one fetches from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemoteLine {
    /// Its name.
    pub name: String,
    /// Where it is, without any user name or password.
    pub url: String,
    /// Its default branch, as last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
}

/// Work put aside with `git stash`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StashLine {
    /// How to name it as a revision.
    pub revision: String,
    /// What it was said to be.
    pub message: String,
    /// The commit that keeps it.
    pub commit: CommitLine,
}

impl Repo {
    /// Lists the repositories that this one knows by name, such as `origin`, and their URLs.
    ///
    /// # Examples
    ///
    /// Where this repository comes from:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// # Notes
    ///
    /// - Nothing is fetched, and credentials in an address are not shown.
    ///
    /// # Errors
    ///
    /// - `REPOSITORY`
    #[pd_tool(
        summary = "List remote repositories and their addresses",
        related(Repo::branches),
        aliases("cloned_from"),
        found_by("where was this cloned from", "the URL of origin"),
        read_only,
        blocking
    )]
    pub fn remotes(&self) -> Result<Json<Vec<RemoteLine>>, GitError> {
        let repository = self.open()?;
        let names = repository.remotes()?;
        let names = names.iter().flatten().flatten();
        Ok(Json(
            names
                .map(|name| remote_line(&repository, name))
                .collect::<Result<_, _>>()?,
        ))
    }

    /// Lists what was put aside with `git stash`, the latest first.
    ///
    /// # Examples
    ///
    /// Is there forgotten work?
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// # Guidance
    ///
    /// - To see what a stash changes, call `diff` with its `revision` as `to`.
    ///
    /// # Errors
    ///
    /// - `REPOSITORY`
    #[pd_tool(
        summary = "List stashed changes",
        related(Repo::diff, Repo::uncommitted),
        found_by(
            "I put some work aside and cannot find it",
            "do I have unfinished work somewhere"
        ),
        read_only,
        blocking
    )]
    pub fn stashes(
        &self,
        #[arg(default = 0)] skip: Skip,
        /// How many stashes to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
    ) -> Result<Json<Page<StashLine>>, GitError> {
        let mut repository = self.open()?;
        let mut stashes = Vec::new();
        repository.stash_foreach(|index, message, id| {
            stashes.push((index, message.to_owned(), *id));
            true
        })?;
        let page = Page::of(stashes, skip, limit).try_map(|(index, message, id)| {
            let commit = CommitLine::of(&repository.find_commit(id)?)?;
            Ok(StashLine {
                revision: format!("stash@{{{index}}}"),
                message,
                commit,
            })
        })?;
        Ok(Json(page))
    }
}

fn remote_line(repository: &Repository, name: &str) -> Result<RemoteLine, GitError> {
    let remote = repository.find_remote(name)?;
    let head = repository
        .find_reference(&format!("refs/remotes/{name}/HEAD"))
        .ok();
    let target = head.as_ref().and_then(|head| head.symbolic_target_bytes());
    let prefix = format!("refs/remotes/{name}/");
    let branch = target.and_then(|target| target.strip_prefix(prefix.as_bytes()));
    Ok(RemoteLine {
        name: name.to_owned(),
        url: without_credentials(&String::from_utf8_lossy(remote.url_bytes())),
        default_branch: branch.map(|branch| String::from_utf8_lossy(branch).into_owned()),
    })
}

/// `https://user:token@host/path` without `user:token@`. Tokens do get left in addresses, and a model's context is no
/// place for them.
pub(super) fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let authority_end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}
