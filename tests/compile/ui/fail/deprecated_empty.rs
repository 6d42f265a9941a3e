//! A deprecation says nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", deprecated = " ")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", deprecated = " ")]
+#[pd_tool(summary = "Show what has changed", deprecated = "use `diff`")]
*/
