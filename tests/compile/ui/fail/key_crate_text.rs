//! The path to the runtime is no text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", crate = "pd_runtime")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", crate = "pd_runtime")]
+#[pd_tool(summary = "Show what has changed", crate = pd_runtime)]
*/
