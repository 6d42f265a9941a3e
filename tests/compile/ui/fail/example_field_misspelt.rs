//! An example that misspells a field which must be there: it is one fault, and the nearest name is proposed.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Page {
    #[serde(default)]
    page_dice: u8,
    page_size: u8,
}

/// # Examples
///
/// ```json
/// { "page": { "pagesize": 2 } }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(page: Page) {}

fn main() {}

/* mend
-/// { "page": { "pagesize": 2 } }
+/// { "page": { "pageSize": 2 } }
*/
