//! JSON in a fence without label.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```
/// { "text": "fn main" }
/// ```
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// ```
-/// { "text": "fn main" }
+/// ```json
+/// { "text": "fn main" }
*/
