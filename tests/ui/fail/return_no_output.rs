//! A type that cannot be a result is reported once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Found;

#[pd_tool(summary = "Search the files' text")]
fn search() -> Found {
    Found
}

fn main() {}
