//! A key stands twice in an object.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta("rank" = { "git": 1, "git": 2 }))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta("rank" = { "git": 1, "git": 2 }))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = { "git": 1 }))]
*/
