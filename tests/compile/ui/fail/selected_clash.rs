//! `Selected` is sent as arguments of fixed names.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "Draw alerts")]
fn draw(alerts: Selected<Alert>, resource_url: String) {}

fn main() {}

/* mend
-fn draw(alerts: Selected<Alert>, resource_url: String) {}
+fn draw(alerts: Selected<Alert>, logo_url: String) {}
*/
