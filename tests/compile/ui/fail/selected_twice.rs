//! One tool takes rows of one tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

#[pd_tool(summary = "Compare alerts")]
fn compare(old: Selected<Alert>, new: Selected<Alert>) {}

fn main() {}

/* mend
-fn compare(old: Selected<Alert>, new: Selected<Alert>) {}
+fn compare(old: Selected<Alert>) {}
+
+#[pd_tool(summary = "Compare later alerts")]
+fn compare_later(new: Selected<Alert>) {}
*/
