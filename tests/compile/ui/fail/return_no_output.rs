//! A type that cannot be a result is reported once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Found;

#[pd_tool(summary = "Search the files' text")]
fn search() -> Found {
    Found
}

fn main() {}

/* mend
-struct Found;
+#[derive(serde::Serialize, schemars::JsonSchema)]
+struct Found;

-fn search() -> Found {
-    Found
+fn search() -> Json<Found> {
+    Json(Found)
*/
