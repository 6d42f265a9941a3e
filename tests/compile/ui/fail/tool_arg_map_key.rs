//! A `ToolArg` type holds maps whose keys JSON cannot have.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::collections::{BTreeMap, HashMap};

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
struct Point {
    x: i32,
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Places {
    names: HashMap<Point, String>,
    areas: Vec<BTreeMap<(u8, u8), String>>,
}

fn main() {}

/* mend
-    names: HashMap<Point, String>,
-    areas: Vec<BTreeMap<(u8, u8), String>>,
+    names: Vec<(Point, String)>,
+    areas: Vec<Vec<((u8, u8), String)>>,
*/
