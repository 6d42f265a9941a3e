//! An example that is no multiple of `multiple_of`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "hours": 0.3 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(multiple_of = 0.5)] hours: f64) {}

fn main() {}

/* mend
-/// { "hours": 0.3 }
+/// { "hours": 1.5 }
*/
