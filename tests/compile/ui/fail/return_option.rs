//! Nothing is no result.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() -> Option<String> {
    None
}

fn main() {}

/* mend
-fn status() -> Option<String> {
-    None
+fn status() -> Json<Option<String>> {
+    Json(None)
*/
