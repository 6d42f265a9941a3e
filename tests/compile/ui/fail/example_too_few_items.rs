//! An example with fewer items than `min_items`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "tags": [] }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(min_items = 1)] tags: Vec<String>) {}

fn main() {}

/* mend
-/// { "tags": [] }
+/// { "tags": ["admin"] }
*/
