//! A variant has no solution.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum GitError {
    #[error("no such path")]
    PathNotFound,
}

fn main() {}

/* mend
-    #[error("no such path")]
+    /// Find it with `ls` first.
+    #[error("no such path")]
*/
