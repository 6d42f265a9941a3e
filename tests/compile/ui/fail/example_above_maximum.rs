//! An example above the `maximum` of its argument.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "limit": 501 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(maximum = 500)] limit: u32) {}

fn main() {}

/* mend
-/// { "limit": 501 }
+/// { "limit": 500 }
*/
