//! The call is lent to read.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(call: &mut CallContext) {}

fn main() {}

/* mend
-fn search(call: &mut CallContext) {}
+fn search(call: & CallContext) {}
*/
