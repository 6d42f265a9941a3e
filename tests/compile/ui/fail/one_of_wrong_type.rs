//! A choice that the type does not hold.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(one_of = [1, "b"])] size: i64) {}

fn main() {}

/* mend
-async fn find(#[arg(one_of = [1, "b"])] size: i64) {}
+async fn find(#[arg(one_of = [1, 2])] size: i64) {}
*/
