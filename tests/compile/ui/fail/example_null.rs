//! An example with `null` for an argument that is not optional.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "id": null }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(id: u64) {}

fn main() {}

/* mend
-async fn find(id: u64) {}
+async fn find(id: Option<u64>) {}
*/
