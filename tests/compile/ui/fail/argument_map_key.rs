//! A key of a JSON object is a text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::collections::{BTreeMap, HashMap};

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
struct Point {
    x: i32,
}

#[pd_tool(summary = "Name places")]
fn name(points: HashMap<Point, String>) {}

#[pd_tool(summary = "Name areas")]
fn area(corners: Option<BTreeMap<(i32, i32), String>>, cells: HashMap<Vec<u8>, u8>, marks: HashMap<Option<u8>, u8>) {}

fn main() {}

/* mend
-fn name(points: HashMap<Point, String>) {}
+fn name(points: Vec<(Point, String)>) {}

-fn area(corners: Option<BTreeMap<(i32, i32), String>>, cells: HashMap<Vec<u8>, u8>, marks: HashMap<Option<u8>, u8>) {}
+fn area(corners: Option<Vec<((i32, i32), String)>>, cells: Vec<(Vec<u8>, u8)>, marks: HashMap<u8, u8>) {}
*/
