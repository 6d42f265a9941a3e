//! A related tool does not exist.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Repo::lgo))]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first")]
    fn log(&self) {}
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Show what has changed", related(Repo::lgo))]
+    #[pd_tool(summary = "Show what has changed", related(Repo::log))]
*/
