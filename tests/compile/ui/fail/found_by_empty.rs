//! A request is empty.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", found_by("did I forget a file", ""))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", found_by("did I forget a file", ""))]
+#[pd_tool(summary = "Show what has changed", found_by("did I forget a file"))]
*/
