//! A choice that a limit rules out.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(one_of = [1, 2, 30], maximum = 10)] size: u32) {}

fn main() {}

/* mend
-async fn find(#[arg(one_of = [1, 2, 30], maximum = 10)] size: u32) {}
+async fn find(#[arg(one_of = [1, 2, 3], maximum = 10)] size: u32) {}
*/
