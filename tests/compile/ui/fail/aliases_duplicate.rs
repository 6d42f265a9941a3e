//! A word is given twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", aliases("diff", "changes", "diff"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", aliases("diff", "changes", "diff"))]
+#[pd_tool(summary = "Show what has changed", aliases("diff", "changes"))]
*/
