//! An example that is none of `one_of`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "size": "smal" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(one_of = ["small", "large"])] size: String) {}

fn main() {}

/* mend
-/// { "size": "smal" }
+/// { "size": "small" }
*/
