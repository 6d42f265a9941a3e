//! A key of `meta` is no text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta(rank = 1))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta(rank = 1))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = 1))]
*/
