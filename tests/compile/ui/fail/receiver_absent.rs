//! A tool in an impl has no receiver.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status() {}
}

fn main() {}

/* mend
-    fn status() {}
+    fn status(&self) {}
*/
