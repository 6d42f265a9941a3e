//! An `impl` inside of the return type has no schema.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() -> Option<impl Sized> {
    Some(1)
}

fn main() {}

/* mend
-fn status() -> Option<impl Sized> {
-    Some(1)
+fn status() -> Json<u32> {
+    Json(1)
*/
