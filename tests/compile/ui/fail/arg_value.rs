//! A keyword has a value of the wrong kind.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(minimum = "one")] limit: u32) {}

fn main() {}

/* mend
-fn search(#[arg(minimum = "one")] limit: u32) {}
+fn search(#[arg(minimum = 1)] limit: u32) {}
*/
