//! `null` for a field with a default: only a tool's own arguments may be left out so.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Page {
    #[serde(default)]
    size: u8,
    after: Option<u8>,
}

/// # Examples
///
/// ```json
/// { "page": { "size": null, "after": null } }
/// ```
#[pd_tool(summary = "Find a user by number")]
async fn find(page: Page) {}

fn main() {}

/* mend
-/// { "page": { "size": null, "after": null } }
+/// { "page": { "after": null } }
*/
