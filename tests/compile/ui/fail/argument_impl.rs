//! An `impl` argument has no schema.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: impl Into<String>) {}

fn main() {}

/* mend
-fn search(text: impl Into<String>) {}
+fn search(text: String) {}
*/
