//! Headings that nearly mean something.

#![allow(unused, reason = "the bodies do not matter")]

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

/* mend
-/// # Note
+/// # Notes

-/// ## Errors
+/// # Errors

-/// - `TIMEOUT`
-///
-/// # exemples
-///
-/// None.
+/// - `TIMEOUT`
*/
