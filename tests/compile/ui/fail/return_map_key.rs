//! A key of a JSON object is a text in results, too.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::collections::HashMap;

#[derive(serde::Serialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
struct Point {
    x: i32,
}

#[pd_tool(summary = "List places")]
fn places() -> Result<Json<HashMap<Point, String>>, ToolError> {
    Ok(Json(HashMap::new()))
}

#[pd_tool(summary = "List areas")]
fn areas() -> Json<HashMap<(u8, u8), String>> {
    Json(HashMap::new())
}

fn main() {}

/* mend
-fn places() -> Result<Json<HashMap<Point, String>>, ToolError> {
-    Ok(Json(HashMap::new()))
-}
+fn places() -> Result<Json<Vec<(Point, String)>>, ToolError> {
+    Ok(Json(Vec::new()))
+}

-fn areas() -> Json<HashMap<(u8, u8), String>> {
-    Json(HashMap::new())
-}
+fn areas() -> Json<Vec<((u8, u8), String)>> {
+    Json(Vec::new())
+}
*/
