//! A constant as default that breaks a limit of its argument.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

const MOST: u32 = 1_000;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(default = MOST, maximum = 500)] limit: u32) {}

fn main() {}

/* mend
-const MOST: u32 = 1_000;
+const MOST: u32 = 500;
*/
