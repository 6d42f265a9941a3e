//! The summary has two lines.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the status.\nAnd more.")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show the status.\nAnd more.")]
+/// And more.
+#[pd_tool(summary = "Show what has changed")]
*/
