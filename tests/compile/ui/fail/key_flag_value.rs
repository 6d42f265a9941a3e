//! A flag is true or false.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", read_only = "yes")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", read_only = "yes")]
+#[pd_tool(summary = "Show what has changed", read_only)]
*/
