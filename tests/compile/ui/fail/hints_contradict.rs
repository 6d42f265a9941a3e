//! A tool cannot change nothing and destroy something.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", read_only, destructive)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", read_only, destructive)]
+#[pd_tool(summary = "Show what has changed", read_only)]
*/
