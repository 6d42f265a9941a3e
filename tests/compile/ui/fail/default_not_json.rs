//! A default is neither JSON nor a constant.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = 2 + 2)] limit: u32, #[arg(default = *)] page: u32) {}

fn main() {}

/* mend
-fn search(#[arg(default = 2 + 2)] limit: u32, #[arg(default = *)] page: u32) {}
+fn search(#[arg(default = 4)] limit: u32, #[arg(default = 1)] page: u32) {}
*/
