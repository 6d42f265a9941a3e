//! An example that calls a field and a variant by aliases, which the schema does not show.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
enum Order {
    #[serde(alias = "First")]
    Newest,
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Page {
    #[serde(alias = "n")]
    number: u32,
}

/// # Examples
///
/// ```json
/// { "page": { "n": 2 }, "order": "First" }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(page: Page, order: Order) {}

fn main() {}

/* mend
-/// { "page": { "n": 2 }, "order": "First" }
+/// { "page": { "number": 2 }, "order": "Newest" }
*/
