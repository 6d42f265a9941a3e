//! A word is the name itself.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", aliases("Status", "changes"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", aliases("Status", "changes"))]
+#[pd_tool(summary = "Show what has changed", aliases("changes"))]
*/
