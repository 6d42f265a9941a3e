//! An example with a fraction for a whole number.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "id": 1.5 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(id: Option<i32>) {}

fn main() {}

/* mend
-/// { "id": 1.5 }
+/// { "id": 1 }
*/
