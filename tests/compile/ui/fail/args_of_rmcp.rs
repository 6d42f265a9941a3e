//! rmcp's wrapper in place of `Args`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

use rmcp::handler::server::wrapper::Parameters;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase")]
struct Page {
    page_size: u8,
    #[serde(default)]
    number: u32,
}

#[pd_tool(summary = "Find a user by number")]
async fn find(Parameters(page): Parameters<Page>) {}

fn main() {}

/* mend
-use rmcp::handler::server::wrapper::Parameters;
+use pd_runtime::Args as Parameters;
*/
