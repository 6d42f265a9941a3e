//! All arguments as a list.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(Args(numbers): Args<Vec<u8>>) {}

fn main() {}

/* mend
-async fn find(Args(numbers): Args<Vec<u8>>) {}
+async fn find(numbers: Vec<u8>) {}
*/
