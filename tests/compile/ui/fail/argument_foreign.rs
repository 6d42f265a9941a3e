//! Attributes of other crates.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[serde(default)] limit: u32, #[schemars(range(min = 1))] page: u32) {}

fn main() {}

/* mend
-fn search(#[serde(default)] limit: u32, #[schemars(range(min = 1))] page: u32) {}
+fn search(#[arg(default = 20)] limit: u32, #[arg(minimum = 1)] page: u32) {}
*/
