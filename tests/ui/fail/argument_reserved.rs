//! The gate uses this name.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(disclosure_ticket: String) {}

fn main() {}
