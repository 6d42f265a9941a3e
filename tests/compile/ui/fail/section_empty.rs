//! A section holds nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Guidance
///
/// # Notes
///
/// - Slow.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// # Guidance
-///
-/// # Notes
+/// # Notes
*/
