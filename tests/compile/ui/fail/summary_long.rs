//! The summary is longer than its limit.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "List the commits of a branch or of a path, newest first, with their authors")]
fn log() {}

fn main() {}

/* mend
-#[pd_tool(summary = "List the commits of a branch or of a path, newest first, with their authors")]
+/// Each commit stands with its author.
+#[pd_tool(summary = "List the commits of a branch or of a path, newest first")]
*/
