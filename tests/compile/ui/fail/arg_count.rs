//! A count is below nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(min_length = -1)] text: String) {}

fn main() {}

/* mend
-fn search(#[arg(min_length = -1)] text: String) {}
+fn search(#[arg(min_length = 1)] text: String) {}
*/
