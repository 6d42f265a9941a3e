//! An example with a field that the struct of all arguments lacks.

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
/// { "pageSize": 10, "nmber": 2 }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(Args(page): Args<Page>) {}

fn main() {}

/* mend
-/// { "pageSize": 10, "nmber": 2 }
+/// { "pageSize": 10, "number": 2 }
*/
