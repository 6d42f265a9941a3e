//! An entry is no path.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! { "status" }
}

fn main() {}

/* mend
-fn registry() -> Registry<()> {
-    pd_runtime::registry! { "status" }
+#[pd_tool(summary = "Show what has changed")]
+fn status() {}
+
+fn registry() -> Registry<()> {
+    pd_runtime::registry! { status }
*/
