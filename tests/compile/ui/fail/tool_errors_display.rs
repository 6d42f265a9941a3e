//! A message is what `Display` says.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, ToolErrors)]
enum GitError {
    /// Find it with `ls` first.
    PathNotFound,
}

fn main() {}

/* mend
-#[derive(Debug, ToolErrors)]
-enum GitError {
-    /// Find it with `ls` first.
-    PathNotFound,
+#[derive(Debug, thiserror::Error, ToolErrors)]
+enum GitError {
+    /// Find it with `ls` first.
+    #[error("no such path")]
+    PathNotFound,
*/
