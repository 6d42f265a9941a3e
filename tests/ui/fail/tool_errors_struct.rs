//! Codes come from variants.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(ToolErrors)]
struct Missing;

fn main() {}
