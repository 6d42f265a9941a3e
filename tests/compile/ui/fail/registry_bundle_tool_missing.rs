//! A bundle names what is no tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show who last changed a line")]
    fn blame(&self) {}

    #[pd_tool(summary = "Show one commit")]
    fn show(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! {
        Repo::{blame, show},
        /// Find who broke a line.
        bundle who_broke_it: Repo::{blame, shwo},
    }
}

fn main() {}

/* mend
-        bundle who_broke_it: Repo::{blame, shwo},
+        bundle who_broke_it: Repo::{blame, show},
*/
