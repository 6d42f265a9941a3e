//! A value is allowed twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(one_of = ["plain", "glob", "plain"])] mode: String) {}

fn main() {}

/* mend
-fn search(#[arg(one_of = ["plain", "glob", "plain"])] mode: String) {}
+fn search(#[arg(one_of = ["plain", "glob"])] mode: String) {}
*/
