//! Anyone can call a tool.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
unsafe fn status() {}

fn main() {}
