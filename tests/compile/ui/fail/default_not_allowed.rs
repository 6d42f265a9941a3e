//! A default is none of the allowed values.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = "regex", one_of = ["plain", "glob"])] mode: String) {}

fn main() {}

/* mend
-fn search(#[arg(default = "regex", one_of = ["plain", "glob"])] mode: String) {}
+fn search(#[arg(default = "regex", one_of = ["plain", "glob", "regex"])] mode: String) {}
*/
