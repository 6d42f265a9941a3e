//! A view calls a tool that is for models alone.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui = "pages/board.html")]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

#[pd_tool(summary = "Move a card", visibility = "model")]
fn move_card() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { board, move_card }
}

fn main() {}

/* mend
-#[pd_tool(summary = "Move a card", visibility = "model")]
+#[pd_tool(summary = "Move a card")]
*/
