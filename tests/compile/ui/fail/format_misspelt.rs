//! A format that is nearly one of JSON Schema's.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(format = "date-tiem")] since: String) {}

fn main() {}

/* mend
-async fn find(#[arg(format = "date-tiem")] since: String) {}
+async fn find(#[arg(format = "date-time")] since: String) {}
*/
