//! An example whose number its type cannot hold.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "id": 300 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(id: u8) {}

fn main() {}

/* mend
-async fn find(id: u8) {}
+async fn find(id: u64) {}
*/
