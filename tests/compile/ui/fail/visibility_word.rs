//! Who calls a tool is not known.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Move a card", visibility = "view")]
fn move_card() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Move a card", visibility = "view")]
+#[pd_tool(summary = "Move a card", visibility = "app")]
*/
