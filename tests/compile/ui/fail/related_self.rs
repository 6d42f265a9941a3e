//! A tool is related to itself.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Self::status))]
    fn status(&self) {}
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Show what has changed", related(Self::status))]
+    #[pd_tool(summary = "Show what has changed")]
*/
