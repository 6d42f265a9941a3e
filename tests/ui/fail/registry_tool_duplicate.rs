//! A tool stands twice in one place.

#![allow(unused)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { status, status }
}

fn main() {}
