//! A lint is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", allow(no_usages))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", allow(no_usages))]
+#[pd_tool(summary = "Show what has changed", allow(no_usage))]
*/
