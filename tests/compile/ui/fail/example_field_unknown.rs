//! An example with a field that a struct of the author's lacks.

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
/// { "page": { "pageSize": 10, "nmber": 2 } }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(page: Page) {}

fn main() {}

/* mend
-/// { "page": { "pageSize": 10, "nmber": 2 } }
+/// { "page": { "pageSize": 10, "number": 2 } }
*/
