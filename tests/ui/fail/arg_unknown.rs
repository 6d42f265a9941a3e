//! A word is misspelt.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(minimun = 1)] limit: u32) {}

fn main() {}
