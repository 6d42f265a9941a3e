//! An example has a syntax error.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// {
///   "text": "fn main",
///   "limit": ten
/// }
/// ```
#[pd_tool]
fn search(text: String, limit: u32) {}

fn main() {}

/* mend
-///   "limit": ten
+///   "limit": 10
*/
