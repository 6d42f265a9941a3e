//! One mistake of each kind, all told at once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Repo::log))]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first", related(Repo::status))]
    fn log(&self) {}

    #[pd_tool(summary = "Show one commit with its changes", related(Repo::log))]
    fn show(&self) {}
}

struct Build;

impl Build {
    #[pd_tool(summary = "Tell where the build is", related(Repo::show))]
    fn status(&self) {}
}

#[derive(State)]
struct App {
    repo: Repo,
    build: Build,
}

fn registry() -> Registry<App> {
    pd_runtime::registry! {
        #![budget = 50]
        Repo::{status, show, blame},
        /// The build.
        build: Build::{status, stop},
    }
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Tell where the build is", related(Repo::show))]
+    #[pd_tool(summary = "Tell where the build is", name = "build_status", related(Repo::show))]

-        #![budget = 50]
+        #![budget = 150]

-        Repo::{status, show, blame},
+        Repo::{status, show, log},

-        build: Build::{status, stop},
+        build: Build::status,
*/
