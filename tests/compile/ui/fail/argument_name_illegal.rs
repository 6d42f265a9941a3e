//! A name that the large model hosts refuse.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(rename = "user id")] id: u64) {}

fn main() {}

/* mend
-async fn find(#[arg(rename = "user id")] id: u64) {}
+async fn find(#[arg(rename = "user-id")] id: u64) {}
*/
