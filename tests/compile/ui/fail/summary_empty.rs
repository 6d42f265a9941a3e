//! The summary says nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = " ")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = " ")]
+#[pd_tool(summary = "Show what has changed")]
*/
