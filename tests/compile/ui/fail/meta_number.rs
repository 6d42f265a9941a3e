//! A number is too large for JSON.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta("rank" = 1e999))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta("rank" = 1e999))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = 1e99))]
*/
