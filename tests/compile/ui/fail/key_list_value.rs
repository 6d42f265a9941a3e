//! A key that takes a list has something else in it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", related("log"), aliases(history))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", related("log"), aliases(history))]
-fn status() {}
+#[pd_tool(summary = "Show what has changed", related(log), aliases("history"))]
+fn status() {}
+
+#[pd_tool(summary = "List commits, newest first")]
+fn log() {}
*/
