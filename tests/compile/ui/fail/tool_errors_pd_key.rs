//! A key of `#[pd]` is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
#[pd(krate = pd_runtime)]
enum GitError {
    /// Find it with `ls` first.
    #[error("no such path")]
    PathNotFound,
}

fn main() {}

/* mend
-#[pd(krate = pd_runtime)]
+#[pd(crate = pd_runtime)]
*/
