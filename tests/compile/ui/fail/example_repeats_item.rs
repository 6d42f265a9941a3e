//! An example that repeats an item of a list of unique ones.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "tags": ["a", "b", "a"] }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(unique_items)] tags: Vec<String>) {}

fn main() {}

/* mend
-/// { "tags": ["a", "b", "a"] }
+/// { "tags": ["a", "b"] }
*/
