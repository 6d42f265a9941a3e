//! An `impl` argument has no schema.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: impl Into<String>) {}

fn main() {}
