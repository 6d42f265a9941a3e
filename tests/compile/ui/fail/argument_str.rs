//! A borrowed string.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: &str) {}

fn main() {}

/* mend
-fn search(text: &str) {}
+fn search(text: String) {}
*/
