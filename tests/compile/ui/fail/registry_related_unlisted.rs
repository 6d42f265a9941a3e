//! A tool is related to one that the registry lacks.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Repo::log, Repo::log_all))]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first")]
    fn log(&self) {}

    #[pd_tool(summary = "List commits of all branches")]
    fn log_all(&self) {}

    #[pd_tool(summary = "List commits to this call")]
    fn log_call(&self) {}
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! { Repo::{log_call, status} }
}

fn main() {}

/* mend
-    pd_runtime::registry! { Repo::{log_call, status} }
+    pd_runtime::registry! { Repo::{log_call, status, log, log_all} }
*/
