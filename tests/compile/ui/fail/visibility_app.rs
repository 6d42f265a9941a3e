//! A tool that no model sees has what only models read.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Move a card", visibility = "app", aliases("drag"))]
fn move_card() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Move a card", visibility = "app", aliases("drag"))]
+#[pd_tool(summary = "Move a card", visibility = "app")]
*/
