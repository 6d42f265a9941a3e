//! An attribute of a variant says nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum GitError {
    /// Find it with `ls` first.
    #[error("no such path")]
    #[tool_error]
    PathNotFound,
}

fn main() {}

/* mend
-    #[error("no such path")]
-    #[tool_error]
+    #[error("no such path")]
*/
