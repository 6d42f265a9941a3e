//! A type that holds itself by another name.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

type Friends = Vec<Person>;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Person {
    friends: Friends,
}

fn main() {}

/* mend
+    #[tool_arg(unchecked)]
     friends: Friends,
*/
