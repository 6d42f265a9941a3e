//! A timeout that lets nothing through.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", timeout = "0ms")]
async fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", timeout = "0ms")]
+#[pd_tool(summary = "Show what has changed")]
*/
