//! The page of a view loads what hosts block.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui = "pages/loads.html")]
fn board() -> Json<Vec<String>> {
    Json(Vec::new())
}

fn main() {}

/* mend
-#[pd_tool(summary = "Show the board", ui = "pages/loads.html")]
+#[pd_tool(summary = "Show the board", ui("pages/loads.html", { "csp": { "resourceDomains": ["https://cdn.example.com"] } }))]
*/
