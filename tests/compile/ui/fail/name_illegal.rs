//! A name has characters that clients refuse.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", name = "git status")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", name = "git status")]
+#[pd_tool(summary = "Show what has changed", name = "git_status")]
*/
