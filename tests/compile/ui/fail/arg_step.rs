//! A step that leads nowhere.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(multiple_of = 0)] limit: u32) {}

fn main() {}

/* mend
-fn search(#[arg(multiple_of = 0)] limit: u32) {}
+fn search(#[arg(multiple_of = 10)] limit: u32) {}
*/
