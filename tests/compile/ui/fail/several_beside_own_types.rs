//! What tokens show and what only the compiler knows come out together.

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
/// { "order": "newest" }
/// ```
#[pd_tool(summary = "List commits", name = "list commits", read_only, destructive)]
async fn log(order: Order, #[arg(min_items = 1)] limit: u32, #[arg(default = "oldest")] then: Order) {}

fn main() {}

/* mend
-/// { "order": "newest" }
+/// { "order": "newest-first", "limit": 10 }

-#[pd_tool(summary = "List commits", name = "list commits", read_only, destructive)]
+#[pd_tool(summary = "List commits", read_only)]

-async fn log(order: Order, #[arg(min_items = 1)] limit: u32, #[arg(default = "oldest")] then: Order) {}
+async fn log(order: Order, #[arg(minimum = 1)] limit: u32, #[arg(default = "oldest-first")] then: Order) {}
*/
