//! Notes are a list, and a paragraph ends a bullet.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Notes
///
/// - Slow.
///
/// Very slow.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// Very slow.
+/// - Very slow.
*/
