//! A function is a tool twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
#[pd_tool(summary = "Show the status")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed")]
-#[pd_tool(summary = "Show the status")]
+#[pd_tool(summary = "Show what has changed")]
*/
