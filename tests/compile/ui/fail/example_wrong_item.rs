//! An example with a list, of which one item is of another type.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "names": ["Ada", 7] }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(names: Vec<String>) {}

fn main() {}

/* mend
-/// { "names": ["Ada", 7] }
+/// { "names": ["Ada", "Grace"] }
*/
