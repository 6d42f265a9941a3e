//! Nothing is in scope but what the file imports.

#![no_implicit_prelude]
#![deny(warnings)]

use ::pd_runtime::{CallContext, Json, Registry, State, ToolErrors, pd_tool, registry};

struct Repo;

impl Repo {
    /// Search the files' text
    ///
    /// # Examples
    ///
    /// ```json
    /// { "text": "fn main" }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Search for words.
    ///
    /// # Errors
    ///
    /// - `SLOW`
    #[pd_tool(title = "Search", read_only, deprecated = "slow", meta("rank" = 1))]
    async fn search(
        &self,
        text: ::std::string::String,
        /// How many.
        #[arg(default = 20, minimum = 1)]
        limit: u32,
        call: &CallContext,
    ) -> ::std::result::Result<Json<::std::vec::Vec<::std::string::String>>, SearchError> {
        let _ = (limit, call);
        if text.is_empty() {
            return ::std::result::Result::Err(SearchError::Slow);
        }
        ::std::result::Result::Ok(Json(::std::vec![text]))
    }
}

#[derive(Debug, ToolErrors)]
enum SearchError {
    /// Search below one folder.
    Slow,
}

impl ::std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str("slow")
    }
}

#[derive(State)]
struct App {
    repo: Repo,
}

fn tools() -> Registry<App> {
    registry! {
        #![budget = 900]
        /// What stands in files.
        files: Repo::search,
    }
}

fn main() {
    let _ = tools();
}
