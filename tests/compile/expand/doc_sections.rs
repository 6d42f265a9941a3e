//! Every section of a doc comment.

use pd_runtime::prelude::*;

/// Commits of one branch or path, see [`log`](crate::log) and [`main`].
///
/// The text may have
///
/// - lists of its own,
///
/// ```text
/// # and fences, where this is no heading
/// ```
///
/// # Ordering
///
/// Newest first.
///
/// # Example
///
/// The last five commits
/// that touched a file:
///
/// ```json
/// { "path": "src/lib.rs", "limit": 5 }
/// ```
///
/// Note that `limit` counts commits.
///
/// Everything:
///
/// ```json
/// {
///   "limit": 500
/// }
/// ```
///
/// This may take a while.
///
/// ```
/// # fn hidden() {}
/// assert_eq!(1 + 1, 2);
/// ```
///
/// # Guidance
///
/// - To see who last changed a line,
///   use `blame` instead.
/// - Ask for few commits first.
///
/// # Notes
///
/// * Paths are relative to the repository's root.
///
/// # Errors
///
/// - `PATH_NOT_FOUND`: no commit of that revision has the path. Find it with `ls` first.
/// - `TIMEOUT`: the history is long.
/// - `INTERNAL_ERROR`
///
/// # Panics
///
/// Never.
#[pd_tool(summary = "List commits, newest first")]
async fn log(path: Option<String>, #[arg(default = 20)] limit: u32) -> String {
    format!("{path:?} {limit}")
}

fn main() {}
