//! A range between limits that exclude all of it.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(exclusive_minimum = 1, maximum = 1)] limit: u32) {}

fn main() {}

/* mend
-async fn find(#[arg(exclusive_minimum = 1, maximum = 1)] limit: u32) {}
+async fn find(#[arg(minimum = 1, maximum = 1)] limit: u32) {}
*/
