//! Codes come from variants.

#![allow(unused)]

use pd_runtime::prelude::*;

#[derive(ToolErrors)]
struct Missing;

fn main() {}
