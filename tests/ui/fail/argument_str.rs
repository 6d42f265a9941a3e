//! A borrowed string.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: &str) {}

fn main() {}
