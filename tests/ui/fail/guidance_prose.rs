//! Guidance is a list.

#![allow(unused)]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Guidance
///
/// Search for whole words.
#[pd_tool]
fn search(text: String) {}

fn main() {}
