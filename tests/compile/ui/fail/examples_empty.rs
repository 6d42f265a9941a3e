//! A section of examples without one.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// Search for `fn main`.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// Search for `fn main`.
+/// Search for `fn main`:
+///
+/// ```json
+/// { "text": "fn main" }
+/// ```
*/
