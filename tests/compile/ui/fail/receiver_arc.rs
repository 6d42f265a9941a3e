//! The server keeps its state, shared or not.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(self: std::sync::Arc<Self>) {}
}

fn main() {}

/* mend
-    fn status(self: std::sync::Arc<Self>) {}
+    fn status(&self) {}
*/
