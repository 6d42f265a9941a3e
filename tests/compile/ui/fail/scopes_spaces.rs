//! Two scopes stand in one text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", scopes("repo:read repo:list"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", scopes("repo:read repo:list"))]
+#[pd_tool(summary = "Show what has changed", scopes("repo:read", "repo:list"))]
*/
