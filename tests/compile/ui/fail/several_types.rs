//! Each mistaken type is reported once, beside the others.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Query;
struct Found;

#[pd_tool(summary = "Search the files' text")]
fn search(query: Query, words: Vec<Query>) -> Result<Found, Query> {
    Ok(Found)
}

fn main() {}

/* mend
-struct Query;
-struct Found;
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Query;
+#[derive(serde::Serialize, schemars::JsonSchema)]
+struct Found;

-fn search(query: Query, words: Vec<Query>) -> Result<Found, Query> {
-    Ok(Found)
+fn search(query: Query, words: Vec<Query>) -> Result<Json<Found>, ToolError> {
+    Ok(Json(Found))
*/
