//! A timeout says no unit.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", timeout = "30")]
async fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", timeout = "30")]
+#[pd_tool(summary = "Show what has changed", timeout = "30s")]
*/
