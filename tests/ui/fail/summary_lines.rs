//! The summary has two lines.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the status.\nAnd more.")]
fn status() {}

fn main() {}
