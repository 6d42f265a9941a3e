//! An example stands twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// Everywhere:
///
/// ```json
/// { "text": "fn main" }
/// ```
///
/// In all files:
///
/// ```json
/// {"text": "fn main"}
/// ```
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// {"text": "fn main"}
+/// { "text": "fn test" }
*/
