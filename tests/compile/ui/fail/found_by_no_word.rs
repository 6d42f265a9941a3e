//! A request has no word.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", found_by("???"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", found_by("???"))]
+#[pd_tool(summary = "Show what has changed", found_by("did I forget a file?"))]
*/
