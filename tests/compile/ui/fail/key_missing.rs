//! A text stands without its key.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool("Show what has changed")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool("Show what has changed")]
+#[pd_tool(summary = "Show what has changed")]
*/
