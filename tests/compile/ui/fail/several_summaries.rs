//! Three tools with a mistake each.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool]
fn status() {}

#[pd_tool(summary = "Log")]
fn log() {}

#[pd_tool(summary = "List the commits of a branch or of a path, newest first, with authors")]
fn history() {}

fn main() {}

/* mend
-#[pd_tool]
+#[pd_tool(summary = "Show what has changed")]

-#[pd_tool(summary = "Log")]
+#[pd_tool(summary = "List commits, newest first")]

-#[pd_tool(summary = "List the commits of a branch or of a path, newest first, with authors")]
+#[pd_tool(summary = "List the commits of a branch, newest first")]
*/
