//! An example with a string for a number.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "id": "seven" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(id: u64) {}

fn main() {}

/* mend
-/// { "id": "seven" }
+/// { "id": 7 }
*/
