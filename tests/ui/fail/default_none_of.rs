//! A default that is none of `one_of`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(one_of = ["small", "large"], default = "medium")] size: String) {}

fn main() {}

/* mend
-async fn find(#[arg(one_of = ["small", "large"], default = "medium")] size: String) {}
+async fn find(#[arg(one_of = ["small", "large"], default = "small")] size: String) {}
*/
