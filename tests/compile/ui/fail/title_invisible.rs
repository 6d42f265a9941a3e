//! A title has a line break.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", title = "Git\nstatus")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", title = "Git\nstatus")]
+#[pd_tool(summary = "Show what has changed", title = "Git status")]
*/
