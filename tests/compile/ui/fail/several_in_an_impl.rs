//! Each method of an impl for itself.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Self::status))]
    fn status(&self) {}

    #[pd_tool(summary = "Read a file")]
    fn read(&mut self, path: &std::path::Path) {}

    #[pd_tool(summary = "List commits, newest first")]
    fn log(#[arg(default = 0)] &self) {}
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Show what has changed", related(Self::status))]
+    #[pd_tool(summary = "Show what has changed", related(Self::log))]

-    fn read(&mut self, path: &std::path::Path) {}
+    fn read(&self, path: std::path::PathBuf) {}

-    fn log(#[arg(default = 0)] &self) {}
+    fn log(&self) {}
*/
