//! Keys that MCP does not allow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", meta("a rank" = 1, "" = 2, "org.mcp/rank" = 3))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", meta("a rank" = 1, "" = 2, "org.mcp/rank" = 3))]
+#[pd_tool(summary = "Show what has changed", meta("rank" = 1, "example.org/rank" = 3))]
*/
