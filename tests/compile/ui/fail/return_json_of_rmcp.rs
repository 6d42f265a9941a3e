//! rmcp's `Json` is not the one that a tool returns.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Status;

#[pd_tool(summary = "Show what has changed")]
fn status() -> rmcp::Json<Status> {
    rmcp::Json(Status)
}

fn main() {}

/* mend
-fn status() -> rmcp::Json<Status> {
-    rmcp::Json(Status)
+fn status() -> Json<Status> {
+    Json(Status)
*/
