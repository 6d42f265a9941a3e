//! A scope is given twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", scopes("repo:read", "repo:read"))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", scopes("repo:read", "repo:read"))]
+#[pd_tool(summary = "Show what has changed", scopes("repo:read"))]
*/
