//! A view is not a file.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui)]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

fn main() {}

/* mend
-#[pd_tool(summary = "Show the board", ui)]
+#[pd_tool(summary = "Show the board", ui = "pages/board.html")]
*/
