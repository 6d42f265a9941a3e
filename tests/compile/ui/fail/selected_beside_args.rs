//! `Args` is all arguments, those of `Selected` among them.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "Draw alerts")]
fn draw(alerts: Selected<Alert>, Args(size): Args<Size>) {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Size {
    width: u32,
}

fn main() {}

/* mend
-fn draw(alerts: Selected<Alert>, Args(size): Args<Size>) {}
+fn draw(alerts: Selected<Alert>, width: u32) {}
*/
