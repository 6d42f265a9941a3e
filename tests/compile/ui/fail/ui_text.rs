//! A tool with a view returns a text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show the board", ui = "pages/board.html")]
fn board() -> Result<String, ToolError> {
    Ok(String::new())
}

fn main() {}

/* mend
-fn board() -> Result<String, ToolError> {
-    Ok(String::new())
+fn board() -> Result<Json<Vec<String>>, ToolError> {
+    Ok(Json(Vec::new()))
 }
*/
