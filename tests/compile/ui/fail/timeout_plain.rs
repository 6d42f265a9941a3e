//! A timeout of what cannot be stopped.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", timeout = "30s")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", timeout = "30s")]
+#[pd_tool(summary = "Show what has changed", timeout = "30s", blocking)]
*/
