//! Rows that are not wrapped.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "List weather alerts", selective)]
async fn alerts() -> Result<Vec<Alert>, ToolError> {
    Ok(Vec::new())
}

fn main() {}

/* mend
-async fn alerts() -> Result<Vec<Alert>, ToolError> {
-    Ok(Vec::new())
+async fn alerts() -> Result<Json<Vec<Alert>>, ToolError> {
+    Ok(Json(Vec::new()))
*/
