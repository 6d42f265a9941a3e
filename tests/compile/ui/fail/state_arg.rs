//! `#[arg]` is for what the caller sends.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = 1)] index: &Index) {}

fn main() {}

/* mend
-fn search(#[arg(default = 1)] index: &Index) {}
+fn search(index: &Index) {}
*/
