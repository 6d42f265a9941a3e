//! An entry is no path.

#![allow(unused)]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! { "status" }
}

fn main() {}
