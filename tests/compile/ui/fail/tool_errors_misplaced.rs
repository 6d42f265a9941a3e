//! A key of one variant stands above the enum.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
#[tool_error(hidden)]
enum GitError {
    #[pd(crate = pd_runtime)]
    /// Find it with `ls` first.
    #[error("no such path")]
    PathNotFound,
}

fn main() {}

/* mend
-#[tool_error(hidden)]
-enum GitError {
-    #[pd(crate = pd_runtime)]
+#[pd(crate = pd_runtime)]
+enum GitError {
*/
