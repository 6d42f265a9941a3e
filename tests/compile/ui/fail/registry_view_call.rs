//! A view calls a tool that the registry lacks.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui = "pages/board.html")]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

#[pd_tool(summary = "Move a card")]
fn move_cards() {}

#[pd_tool(summary = "Move a card", visibility = "app")]
fn move_card() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { board, move_cards }
}

fn main() {}

/* mend
-    pd_runtime::registry! { board, move_cards }
+    pd_runtime::registry! { board, move_cards, move_card }
*/
