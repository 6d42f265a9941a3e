//! No call may run.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", concurrency = 0)]
async fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", concurrency = 0)]
+#[pd_tool(summary = "Show what has changed", concurrency = 1)]
*/
