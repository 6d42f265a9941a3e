//! Two limits on one side.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(minimum = 1, exclusive_minimum = 0)] limit: u32) {}

fn main() {}

/* mend
-async fn find(#[arg(minimum = 1, exclusive_minimum = 0)] limit: u32) {}
+async fn find(#[arg(minimum = 1)] limit: u32) {}
*/
