//! Every way in which two examples do not fit types of std and `#[arg]`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// {
///   "id": 300,
///   "names": ["a", 1],
///   "limit": 0
/// }
/// ```
///
/// ```json
/// { "id": 1, "lmit": 5 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(id: u8, names: Vec<String>, #[arg(minimum = 1, default = 0)] limit: u32) {}

fn main() {}

/* mend
-///   "id": 300,
-///   "names": ["a", 1],
-///   "limit": 0
+///   "id": 200,
+///   "names": ["a", "b"],
+///   "limit": 1

-/// { "id": 1, "lmit": 5 }
+/// { "id": 1, "names": [], "limit": 5 }

-async fn find(id: u8, names: Vec<String>, #[arg(minimum = 1, default = 0)] limit: u32) {}
+async fn find(id: u8, names: Vec<String>, #[arg(minimum = 1, default = 1)] limit: u32) {}
*/
