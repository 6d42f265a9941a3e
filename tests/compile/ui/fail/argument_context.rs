//! The call is lent.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(call: CallContext) {}

fn main() {}

/* mend
-fn search(call: CallContext) {}
+fn search(call: &CallContext) {}
*/
