//! An attribute that says nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg] limit: u32) {}

fn main() {}

/* mend
-fn search(#[arg] limit: u32) {}
+fn search(#[arg(default = 20)] limit: u32) {}
*/
