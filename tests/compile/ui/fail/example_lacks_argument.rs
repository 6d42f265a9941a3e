//! An example leaves a required argument out.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// { "limit": 10 }
/// ```
#[pd_tool]
fn search(text: String, limit: Option<u32>) {}

fn main() {}

/* mend
-/// { "limit": 10 }
+/// { "text": "fn main", "limit": 10 }
*/
