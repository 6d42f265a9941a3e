//! A default breaks its own limits.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = 0, minimum = 1)] limit: u32, #[arg(default = "abc", max_length = 2)] text: String) {}

fn main() {}

/* mend
-fn search(#[arg(default = 0, minimum = 1)] limit: u32, #[arg(default = "abc", max_length = 2)] text: String) {}
+fn search(#[arg(default = 1, minimum = 1)] limit: u32, #[arg(default = "ab", max_length = 2)] text: String) {}
*/
