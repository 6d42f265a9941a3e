//! A keyword that says nothing about a type of the author's.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}

#[pd_tool(summary = "Find a user by number")]
async fn find(#[arg(min_items = 1)] order: Order) {}

fn main() {}

/* mend
-async fn find(#[arg(min_items = 1)] order: Order) {}
+async fn find(order: Order) {}
*/
