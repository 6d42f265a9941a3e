//! The summary says nothing.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = " ")]
fn status() {}

fn main() {}
