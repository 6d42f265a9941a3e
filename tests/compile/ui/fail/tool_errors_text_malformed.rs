//! The text of an error is not a format string: rustc reports it once, and the variant has no cause.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum FindError {
    /// Ask for less.
    #[error("busy {")]
    Busy,
}

fn main() {}

/* mend
-    #[error("busy {")]
+    #[error("too many ask at once")]
*/
