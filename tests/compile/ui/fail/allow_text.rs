//! A lint is written as text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", allow("no_usage"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", allow("no_usage"))]
+#[pd_tool(summary = "Show what has changed", allow(no_usage))]
*/
