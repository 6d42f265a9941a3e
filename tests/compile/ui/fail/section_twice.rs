//! A section stands twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Guidance
///
/// - Search for whole words.
///
/// # Notes
///
/// - Slow.
///
/// # Guidance
///
/// - Search below one folder.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// - Search for whole words.
+/// - Search for whole words.
+/// - Search below one folder.

-/// - Slow.
-///
-/// # Guidance
-///
-/// - Search below one folder.
+/// - Slow.
*/
