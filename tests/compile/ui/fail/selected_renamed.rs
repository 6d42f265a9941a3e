//! `Selected` under another name is not known by the macro.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Selected, prelude::*};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    event: String,
}

use Selected as Rows;

#[pd_tool(summary = "Draw alerts")]
fn draw(alerts: Rows<Alert>) {}

fn main() {}

/* mend
-use Selected as Rows;
-
-#[pd_tool(summary = "Draw alerts")]
-fn draw(alerts: Rows<Alert>) {}
+#[pd_tool(summary = "Draw alerts")]
+fn draw(alerts: Selected<Alert>) {}
*/
