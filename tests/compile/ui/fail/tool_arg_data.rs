//! A `ToolArg` enum whose variants hold data.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
enum Filter {
    All,
    Named(String),
}

fn main() {}

/* mend
-    Named(String),
+    Named,
*/
