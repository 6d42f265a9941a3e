//! An example with a field of another type, deep inside.

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
/// { "pages": { "a": [{ "pageSize": 256 }] } }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(pages: std::collections::HashMap<String, Vec<Page>>) {}

fn main() {}

/* mend
-/// { "pages": { "a": [{ "pageSize": 256 }] } }
+/// { "pages": { "a": [{ "pageSize": 255 }] } }
*/
