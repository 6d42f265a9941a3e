//! An example without a field that a struct of the author's needs.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase")]
struct Page {
    page_size: u8,
    #[serde(default)]
    number: u32,
}

/// # Examples
///
/// ```json
/// { "page": { "number": 2 } }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(page: Option<Page>) {}

fn main() {}

/* mend
-/// { "page": { "number": 2 } }
+/// { "page": { "pageSize": 10, "number": 2 } }
*/
