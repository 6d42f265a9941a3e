//! What `cfg` leaves out is left out of everything: tools, parameters, entries, groups, error codes and state.

#![deny(warnings)]

use pd_runtime::prelude::*;

struct Repo;
#[cfg(any())]
struct Remote;

impl Repo {
    #[cfg(any())]
    #[pd_tool(summary = "Show what has changed", related(Missing::tool))]
    fn status(&self, missing: Missing) -> Missing {}

    /// Show what has changed.
    #[cfg(all())]
    #[pd_tool]
    fn status(
        &self,
        #[cfg(any())]
        /// Never there.
        #[arg(default = 1)]
        depth: Missing,
        #[cfg(all())]
        /// How deep to look.
        #[arg(default = 1)]
        depth: u32,
        #[cfg(any())] call: &CallContext,
    ) -> Result<Json<u32>, RepoError> {
        if depth > 9 { Err(RepoError::TooDeep) } else { Ok(Json(depth)) }
    }
}

#[cfg_attr(any(), pd_tool(summary = "Fetch from the remote"))]
#[allow(dead_code, reason = "it is no tool here")]
fn fetch() {}

#[derive(Debug, thiserror::Error, ToolErrors)]
enum RepoError {
    #[cfg(any())]
    Gone(Missing),
    /// Look less deep.
    #[error("too deep")]
    TooDeep,
}

#[derive(State)]
struct App {
    #[cfg(any())]
    remote: Remote,
    repo: Repo,
}

fn main() {
    let registry: Registry<App> = pd_runtime::registry! {
        #[cfg(any())]
        fetch,
        #[cfg(all())]
        Repo::{status, #[cfg(any())] fetch},
        #[cfg(any())]
        /// What a remote has.
        remote: Remote::fetch,
    };
    assert!(registry.check().is_ok());
    let _ = |app: App| app.repo;
}
