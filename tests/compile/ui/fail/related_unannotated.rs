//! A related function in scope is not a tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn now() {}

#[pd_tool(summary = "Show what has changed", related(now))]
fn status() {}

fn main() {}

/* mend
-fn now() {}
+#[pd_tool(summary = "Tell the server's time")]
+fn now() {}
*/
