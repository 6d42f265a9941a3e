//! A key of `#[tool_error]` is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum GitError {
    /// Find it.
    #[error("no such path")]
    #[tool_error(cod = "PATH_NOT_FOUND")]
    PathNotFound,
}

fn main() {}

/* mend
-    #[tool_error(cod = "PATH_NOT_FOUND")]
+    #[tool_error(code = "PATH_NOT_FOUND")]
*/
