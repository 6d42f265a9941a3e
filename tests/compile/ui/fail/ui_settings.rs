//! What a view may do is not written as hosts read it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui("pages/board.html", { "csp": { "connect": ["https://api.example.com/v1"] } }))]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

fn main() {}

/* mend
-#[pd_tool(summary = "Show the board", ui("pages/board.html", { "csp": { "connect": ["https://api.example.com/v1"] } }))]
+#[pd_tool(summary = "Show the board", ui("pages/board.html", { "csp": { "connectDomains": ["https://api.example.com"] } }))]
*/
