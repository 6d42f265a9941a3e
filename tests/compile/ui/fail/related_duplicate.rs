//! A related tool is named twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

#[pd_tool(summary = "Show what has changed", related(log, log))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", related(log, log))]
+#[pd_tool(summary = "Show what has changed", related(log))]
*/
