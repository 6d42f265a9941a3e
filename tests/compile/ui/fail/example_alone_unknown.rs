//! A misspelt name of the only argument, whose type is the author's.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
enum Order {
    Newest,
}

/// # Examples
///
/// ```json
/// { "ordr": "Newest" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(order: Order) {}

fn main() {}

/* mend
-/// { "ordr": "Newest" }
+/// { "order": "Newest" }
*/
