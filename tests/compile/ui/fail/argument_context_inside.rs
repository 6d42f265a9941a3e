//! The call is inside of another type.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(call: Option<&CallContext>, text: String) {}

#[pd_tool(summary = "Search the files' names")]
fn find(call: Option<CallContext>) {}

fn main() {}

/* mend
-fn search(call: Option<&CallContext>, text: String) {}
+fn search(call: &CallContext, text: String) {}

-fn find(call: Option<CallContext>) {}
+fn find(call: &CallContext) {}
*/
