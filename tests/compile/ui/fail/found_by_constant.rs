//! A request is a constant, whose text the macro does not see.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

const REQUEST: &str = "did I forget a file";

#[pd_tool(summary = "Show what has changed", found_by(REQUEST))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", found_by(REQUEST))]
+#[pd_tool(summary = "Show what has changed", found_by("did I forget a file"))]
*/
