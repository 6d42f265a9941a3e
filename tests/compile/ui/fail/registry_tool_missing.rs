//! No tool has this name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! { Repo::{status, stauts} }
}

fn main() {}

/* mend
-    pd_runtime::registry! { Repo::{status, stauts} }
+    pd_runtime::registry! { Repo::{status} }
*/
