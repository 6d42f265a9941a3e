//! A key of a JSON object is a text in a tool of an impl, too.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::collections::HashMap;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
struct Point(i32, i32);

struct Map;

impl Map {
    #[pd_tool(summary = "Name places")]
    fn name(&self, places: Vec<HashMap<Point, String>>) {}
}

fn main() {}

/* mend
-    fn name(&self, places: Vec<HashMap<Point, String>>) {}
+    fn name(&self, places: Vec<Vec<(Point, String)>>) {}
*/
