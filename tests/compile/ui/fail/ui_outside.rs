//! The page of a view is outside of the package.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui = "../board.html")]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

fn main() {}

/* mend
-#[pd_tool(summary = "Show the board", ui = "../board.html")]
+#[pd_tool(summary = "Show the board", ui = "pages/board.html")]
*/
