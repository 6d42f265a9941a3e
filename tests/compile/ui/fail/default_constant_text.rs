//! A constant as default that is none of `one_of`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

const SIZE: &str = "medium";

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(default = SIZE, one_of = ["small", "large"])] size: String) {}

fn main() {}

/* mend
-const SIZE: &str = "medium";
+const SIZE: &str = "small";
*/
