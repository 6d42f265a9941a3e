//! The summary says nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = " ")]
fn status() {}

fn main() {}
