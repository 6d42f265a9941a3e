//! A related tool in scope does not exist.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Tell the server's time")]
fn now() {}

#[pd_tool(summary = "Show what has changed", related(nowhere))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", related(nowhere))]
+#[pd_tool(summary = "Show what has changed", related(now))]
*/
