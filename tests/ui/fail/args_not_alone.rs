//! `Args` is all arguments.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(all: Args<Vec<String>>, limit: u32) {}

fn main() {}
