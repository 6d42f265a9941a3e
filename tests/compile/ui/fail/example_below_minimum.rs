//! An example below the `minimum` of its argument.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "limit": 0 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(minimum = 1)] limit: u32) {}

fn main() {}

/* mend
-/// { "limit": 0 }
+/// { "limit": 1 }
*/
