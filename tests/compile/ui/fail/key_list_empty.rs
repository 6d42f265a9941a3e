//! A key that takes a list has nothing in it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", related(), scopes())]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", related(), scopes())]
+#[pd_tool(summary = "Show what has changed")]
*/
