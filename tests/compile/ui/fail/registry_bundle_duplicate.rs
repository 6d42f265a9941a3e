//! A bundle has the name of a group, and another that of a bundle.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        git: { status, log },
        /// See what is new.
        bundle git: { status, log },
        /// See what is new.
        bundle news: { status, log },
        /// See what was new.
        bundle news: log,
    }
}

fn main() {}

/* mend
-        bundle git: { status, log },
+        bundle new_in_git: { status, log },

-        bundle news: log,
+        bundle old_news: log,
*/
