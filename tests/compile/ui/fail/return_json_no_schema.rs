//! A structured result has no schema.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Serialize)]
struct Status;

#[pd_tool(summary = "Show what has changed")]
fn status() -> Json<Status> {
    Json(Status)
}

fn main() {}

/* mend
-#[derive(serde::Serialize)]
-struct Status;
+#[derive(serde::Serialize, schemars::JsonSchema)]
+struct Status;
*/
