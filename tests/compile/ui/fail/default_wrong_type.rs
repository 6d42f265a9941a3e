//! A default of another type than its argument.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(default = "20")] limit: u32) {}

fn main() {}

/* mend
-async fn find(#[arg(default = "20")] limit: u32) {}
+async fn find(#[arg(default = 20)] limit: u32) {}
*/
