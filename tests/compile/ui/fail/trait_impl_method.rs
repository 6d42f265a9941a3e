//! A method in an impl of a trait.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

trait Status {
    fn status(&self);
}

struct Repo;

impl Status for Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

fn main() {}

/* mend
-impl Status for Repo {
-    #[pd_tool(summary = "Show what has changed")]
-    fn status(&self) {}
-}
+impl Status for Repo {
+    fn status(&self) {}
+}
+
+impl Repo {
+    #[pd_tool(summary = "Show what has changed")]
+    fn show_status(&self) {
+        self.status();
+    }
+}
*/
