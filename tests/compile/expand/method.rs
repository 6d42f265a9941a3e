//! A method with every kind of parameter: state, arguments, context.

use pd_runtime::prelude::*;

struct Repo;

struct Clock;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Log {
    commits: Vec<String>,
}

impl Repo {
    /// Commits of one branch or path, with author, date and subject.
    #[pd_tool(summary = "List commits, newest first", related(Repo::show), read_only)]
    pub(crate) async fn log(
        &self,
        /// Only commits that touch this path.
        path: Option<String>,
        /// How many commits to return.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        clock: &Clock,
        call: &CallContext,
    ) -> Result<Json<Log>, ToolError> {
        let _ = (path, limit, clock, call);
        Ok(Json(Log { commits: Vec::new() }))
    }

    #[pd_tool(summary = "Show one commit with its changes", related(Self::log))]
    fn show(&self, commit: String) -> String {
        commit
    }
}

fn main() {}
