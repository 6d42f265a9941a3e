//! A limit that lets nothing through.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", summary_max = 0)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", summary_max = 0)]
+#[pd_tool(summary = "Show what has changed")]
*/
