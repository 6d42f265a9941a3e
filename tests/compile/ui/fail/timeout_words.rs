//! A timeout has a unit of its own.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", timeout = "half a minute")]
async fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", timeout = "half a minute")]
+#[pd_tool(summary = "Show what has changed", timeout = "30s")]
*/
