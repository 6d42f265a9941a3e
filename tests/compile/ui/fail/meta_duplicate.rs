//! A `_meta` key is given twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta("rank" = 1, "rank" = 2))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta("rank" = 1, "rank" = 2))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = 1))]
*/
