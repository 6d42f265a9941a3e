//! A word is empty.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", aliases(""))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", aliases(""))]
+#[pd_tool(summary = "Show what has changed", aliases("changes"))]
*/
