//! A fence has no end.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// { "text": "fn main" }
///
/// # Notes
///
/// - Slow.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// { "text": "fn main" }
+/// { "text": "fn main" }
+/// ```
*/
