//! An icon is a file of the server, which clients cannot load.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", icons("assets/status.png"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", icons("assets/status.png"))]
+#[pd_tool(summary = "Show what has changed", icons("https://example.com/status.png"))]
*/
