//! A trait's method has no body.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

trait Status {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self);
}

fn main() {}

/* mend
-trait Status {
-    #[pd_tool(summary = "Show what has changed")]
-    fn status(&self);
-}
+struct Status;
+
+impl Status {
+    #[pd_tool(summary = "Show what has changed")]
+    fn status(&self) {}
+}
*/
