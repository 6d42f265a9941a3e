//! A limit is a number.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", summary_max = "80")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", summary_max = "80")]
+#[pd_tool(summary = "Show what has changed", summary_max = 80)]
*/
