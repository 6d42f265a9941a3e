//! A name is empty.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", name = "")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", name = "")]
+#[pd_tool(summary = "Show what has changed", name = "git_status")]
*/
