//! An example misspells an argument.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// {
///   "text": "fn main",
///   "limt": 10
/// }
/// ```
#[pd_tool]
fn search(text: String, #[arg(default = 9)] limit: u32) {}

fn main() {}

/* mend
-///   "limt": 10
+///   "limit": 10
*/
