//! A default method of a trait.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

trait Status {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

fn main() {}

/* mend
-trait Status {
-    #[pd_tool(summary = "Show what has changed")]
-    fn status(&self) {}
-}
+trait Status {
+    fn status(&self) {}
+}
+
+struct Repo;
+
+impl Status for Repo {}
+
+impl Repo {
+    #[pd_tool(summary = "Show what has changed")]
+    fn show_status(&self) {
+        self.status();
+    }
+}
*/
