//! An icon is a constant, whose value the macro does not see.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

const ICON: &str = "https://example.com/status.png";

#[pd_tool(summary = "Show what has changed", icons(ICON))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", icons(ICON))]
+#[pd_tool(summary = "Show what has changed", icons("https://example.com/status.png"))]
*/
