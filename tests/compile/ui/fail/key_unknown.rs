//! A key is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", titel = "Status")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", titel = "Status")]
+#[pd_tool(summary = "Show what has changed", title = "Status")]
*/
