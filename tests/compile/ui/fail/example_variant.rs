//! An example that names no variant of an enum of the author's.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}

/// # Examples
///
/// ```json
/// { "order": "newestFirst" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(order: Order) {}

fn main() {}

/* mend
-/// { "order": "newestFirst" }
+/// { "order": "newest-first" }
*/
