//! A function of the list is no tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    fn status(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! { Repo::status }
}

fn main() {}

/* mend
-    fn status(&self) {}
+    #[pd_tool(summary = "Show what has changed")]
+    fn status(&self) {}
*/
