//! A bundle names a tool that the registry lacks.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show who last changed a line")]
    fn blame(&self) {}

    #[pd_tool(summary = "Show one commit")]
    fn show(&self) {}

    #[pd_tool(summary = "Compare two revisions")]
    fn diff(&self) {}

    #[pd_tool(summary = "Compare many revisions")]
    fn diffs(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! {
        Repo::{blame, diffs},
        /// Find who broke a line.
        bundle who_broke_it: Repo::{blame, show, diff},
    }
}

fn main() {}

/* mend
-        Repo::{blame, diffs},
+        Repo::{blame, diffs, show, diff},
*/
