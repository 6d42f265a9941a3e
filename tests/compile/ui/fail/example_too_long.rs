//! An example longer than the `max_length` of its argument.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "region": "Europe" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(max_length = 2)] region: String) {}

fn main() {}

/* mend
-/// { "region": "Europe" }
+/// { "region": "eu" }
*/
