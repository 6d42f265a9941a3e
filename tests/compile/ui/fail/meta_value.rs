//! A value of `meta` is no JSON.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta("rank" = first, "tags" = ["a" "b"]))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta("rank" = first, "tags" = ["a" "b"]))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = 1, "tags" = ["a", "b"]))]
*/
