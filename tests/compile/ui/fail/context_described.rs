//! Callers never see what the server lends.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    /// The call.
    call: &CallContext,
) {
}

fn main() {}

/* mend
-    /// The call.
-    call: &CallContext,
+    call: &CallContext,
*/
