//! Guidance is a list.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Guidance
///
/// Search for whole words.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// Search for whole words.
+/// - Search for whole words.
*/
