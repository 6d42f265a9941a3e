//! The gate uses this name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(disclosure_ticket: String) {}

fn main() {}

/* mend
-fn search(disclosure_ticket: String) {}
+fn search(train_ticket: String) {}
*/
