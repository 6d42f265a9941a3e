//! Mistakes of the literal and of its tools; a tool of two groups is judged once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Repo::log))]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first")]
    fn log(&self) {}

    #[pd_tool(summary = "Show one commit", name = "status")]
    fn show(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! {
        Repo::status,
        work: Repo::status,
        /// What was.
        Past: Repo::show,
    }
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Show one commit", name = "status")]
+    #[pd_tool(summary = "Show one commit")]

-        work: Repo::status,
+        /// What is.
+        work: Repo::{status, log},

-        Past: Repo::show,
+        past: Repo::show,
*/
