//! The tool that everyone serves, under as many names as asked for: with rmcp's `#[tool]` and with `#[pd_tool]`.
//! Arguments, work and result are the same; ours has the richer description, and its arguments are validated.

use pd_runtime::Registry;
use rmcp::{ServerHandler, handler::server::tool::ToolRouter};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The arguments, as rmcp takes them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Query {
    /// The branch, tag or commit to start from.
    pub(crate) revision: String,
    /// Only commits that touch this path.
    pub(crate) path: Option<String>,
    /// How many commits to return.
    pub(crate) limit: u32,
    /// Whether to count merges too.
    pub(crate) merges: bool,
}

impl Query {
    /// The work: little, since what surrounds it is measured.
    pub(crate) fn answer(&self) -> String {
        let Self {
            revision,
            path,
            limit,
            merges,
        } = self;
        let path = path.as_deref().unwrap_or("the whole tree");
        format!(
            "{limit} commits of {revision} that touch {path}, {} merges",
            if *merges { "with" } else { "without" }
        )
    }
}

/// The arguments of every call, but for a ticket.
pub(crate) fn arguments() -> rmcp::model::JsonObject {
    rmcp::model::object(
        json!({"revision": "main", "path": "src/lib.rs", "limit": 20, "merges": false}),
    )
}

/// What every call returns.
pub(crate) const ANSWER: &str = "20 commits of main that touch src/lib.rs, without merges";

/// The tool under some number of names.
pub(crate) trait Tools: ServerHandler + Default {
    /// The names.
    const NAMES: &'static [&'static str];

    /// rmcp's router, as `#[tool_router]` builds it.
    fn router() -> ToolRouter<Self>;

    /// Our registry.
    fn registry() -> Registry<()>;
}

/// A module with the tool under these names, for both sides.
macro_rules! tools {
    ($size:ident; $($name:ident)*) => {
        pub(crate) mod $size {
            use crate::tools::{Query, Tools};
            use pd_runtime::Registry;
            use rmcp::{
                ServerHandler,
                handler::server::{tool::ToolRouter, wrapper::Parameters},
                tool, tool_handler, tool_router,
            };

            /// rmcp's tools, with the handler its attribute writes: it builds the router for every request.
            #[derive(Debug, Default)]
            pub(crate) struct Plain;

            #[tool_router]
            impl Plain {$(
                #[tool(description = "List commits of one branch or path, newest first")]
                async fn $name(&self, Parameters(query): Parameters<Query>) -> String {
                    query.answer()
                }
            )*}

            #[tool_handler]
            impl ServerHandler for Plain {}

            impl Tools for Plain {
                const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

                fn router() -> ToolRouter<Self> {
                    Self::tool_router()
                }

                fn registry() -> Registry<()> {
                    pd_runtime::registry! { $(ours::$name),* }
                }
            }

            mod ours {
                use super::Query;
                use pd_runtime::pd_tool;

                $(
                    /// Commits of one branch or path, with author, date and subject.
                    ///
                    /// # Examples
                    ///
                    /// The last five commits that touched a file:
                    ///
                    /// ```json
                    /// { "revision": "main", "path": "src/lib.rs", "limit": 5 }
                    /// ```
                    ///
                    /// # Guidance
                    ///
                    /// - Begin with a small `limit`; raise it when the commit you look for is older.
                    ///
                    /// # Notes
                    ///
                    /// - Paths are relative to the repository's root.
                    #[pd_tool(summary = "List commits, newest first", read_only)]
                    pub(super) async fn $name(
                        /// The branch, tag or commit to start from.
                        revision: String,
                        /// Only commits that touch this path.
                        path: Option<String>,
                        /// How many commits to return.
                        #[arg(default = 20, minimum = 1, maximum = 500)]
                        limit: u32,
                        /// Whether to count merges too.
                        #[arg(default = false)]
                        merges: bool,
                    ) -> String {
                        Query { revision, path, limit, merges }.answer()
                    }
                )*
            }
        }
    };
}
pub(crate) use tools;
