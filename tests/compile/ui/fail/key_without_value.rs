//! A key that takes a value has none.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", title)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", title)]
+#[pd_tool(summary = "Show what has changed", title = "Status")]
*/
