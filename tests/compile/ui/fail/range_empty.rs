//! No value fits.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(minimum = 10, maximum = 1)] limit: u32) {}

fn main() {}

/* mend
-fn search(#[arg(minimum = 10, maximum = 1)] limit: u32) {}
+fn search(#[arg(minimum = 1, maximum = 10)] limit: u32) {}
*/
