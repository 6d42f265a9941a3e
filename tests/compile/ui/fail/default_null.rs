//! `null` is no default.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = null)] limit: Option<u32>) {}

fn main() {}

/* mend
-fn search(#[arg(default = null)] limit: Option<u32>) {}
+fn search(limit: Option<u32>) {}
*/
