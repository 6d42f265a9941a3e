//! The summary says what the name says.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "List commits.")]
fn list_commits() {}

fn main() {}

/* mend
-#[pd_tool(summary = "List commits.")]
+#[pd_tool(summary = "Read a branch's history, newest first")]
*/
