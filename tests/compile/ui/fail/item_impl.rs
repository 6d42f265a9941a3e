//! Not the impl is a tool, its methods are.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

#[pd_tool]
impl Repo {
    fn status(&self) {}
}

fn main() {}

/* mend
-#[pd_tool]
-impl Repo {
-    fn status(&self) {}
+impl Repo {
+    #[pd_tool(summary = "Show what has changed")]
+    fn status(&self) {}
*/
