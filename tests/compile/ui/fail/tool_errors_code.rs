//! Codes that are no codes.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum GitError {
    /// Find it.
    #[error("no such path")]
    #[tool_error(code = "path not found")]
    PathNotFound,
    /// Wait.
    #[error("slow")]
    Slow,
    /// Wait.
    #[error("very slow")]
    #[tool_error(code = "SLOW")]
    VerySlow,
}

fn main() {}

/* mend
-    #[tool_error(code = "path not found")]
+    #[tool_error(code = "PATH_NOT_FOUND")]

-    #[tool_error(code = "SLOW")]
+    #[tool_error(code = "VERY_SLOW")]
*/
