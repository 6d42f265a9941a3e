//! An argument without a name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search((from, to): (u32, u32)) {}

fn main() {}

/* mend
-fn search((from, to): (u32, u32)) {}
+fn search(range: (u32, u32)) {
+    let (from, to) = range;
+}
*/
