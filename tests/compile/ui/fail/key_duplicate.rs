//! A key is given twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", read_only, read_only = false)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", read_only, read_only = false)]
+#[pd_tool(summary = "Show what has changed", read_only)]
*/
