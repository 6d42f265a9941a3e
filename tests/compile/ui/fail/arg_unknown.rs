//! A word is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(minimun = 1)] limit: u32) {}

fn main() {}

/* mend
-fn search(#[arg(minimun = 1)] limit: u32) {}
+fn search(#[arg(minimum = 1)] limit: u32) {}
*/
