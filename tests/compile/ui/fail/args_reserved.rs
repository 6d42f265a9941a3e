//! A struct of all arguments with a field that is the gate's.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Query {
    text: String,
    #[serde(rename = "disclosure_ticket")]
    ticket: String,
}

#[pd_tool(summary = "Find a user by number")]
async fn find(Args(query): Args<Query>) {}

fn main() {}

/* mend
-    #[serde(rename = "disclosure_ticket")]
+    #[serde(rename = "queue_ticket")]
*/
