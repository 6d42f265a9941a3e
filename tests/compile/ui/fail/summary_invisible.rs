//! The summary has a character that nobody sees.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what\u{200b} has changed")]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what\u{200b} has changed")]
+#[pd_tool(summary = "Show what has changed")]
*/
