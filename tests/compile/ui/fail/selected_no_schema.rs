//! A row describes its columns.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[derive(serde::Deserialize)]
struct Storm {
    name: String,
}

#[pd_tool(summary = "Draw storms")]
fn draw(storms: Selected<Storm>) {}

fn main() {}

/* mend
-#[derive(serde::Deserialize)]
-struct Storm {
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Storm {
*/
