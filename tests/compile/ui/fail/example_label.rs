//! A label that nearly says JSON.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```jsonc
/// { "text": "fn main" } // everywhere
/// ```
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// ```jsonc
-/// { "text": "fn main" } // everywhere
+/// ```json
+/// { "text": "fn main" }
*/
