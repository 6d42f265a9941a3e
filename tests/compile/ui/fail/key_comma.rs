//! Two keys stand without a comma.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed" read_only)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed" read_only)]
+#[pd_tool(summary = "Show what has changed", read_only)]
*/
