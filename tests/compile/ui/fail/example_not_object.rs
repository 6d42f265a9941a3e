//! An example is an array.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// ["fn main"]
/// ```
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// ["fn main"]
+/// { "text": "fn main" }
*/
