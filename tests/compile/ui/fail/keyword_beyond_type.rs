//! A limit that the type cannot reach.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(minimum = -5)] limit: u8) {}

fn main() {}

/* mend
-async fn find(#[arg(minimum = -5)] limit: u8) {}
+async fn find(#[arg(minimum = -5)] limit: i8) {}
*/
