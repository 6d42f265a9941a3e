//! Headings that nearly mean something.

#![allow(unused)]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Note
///
/// - Slow.
///
/// ## Errors
///
/// - `TIMEOUT`
///
/// # exemples
///
/// None.
#[pd_tool]
fn search(text: String) {}

fn main() {}
