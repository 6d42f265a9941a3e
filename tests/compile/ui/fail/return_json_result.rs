//! A failure inside of `Json`, which would be sent as a success.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Count the commits")]
fn count() -> Json<Result<u32, String>> {
    Json(Err("there is no repository".to_owned()))
}

fn main() {}

/* mend
-fn count() -> Json<Result<u32, String>> {
-    Json(Err("there is no repository".to_owned()))
+fn count() -> Result<Json<u32>, String> {
+    Err("there is no repository".to_owned())
*/
