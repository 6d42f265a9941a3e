//! The server keeps its state.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Drop what has changed")]
    fn reset(self) {}
}

fn main() {}

/* mend
-    fn reset(self) {}
+    fn reset(&self) {}
*/
