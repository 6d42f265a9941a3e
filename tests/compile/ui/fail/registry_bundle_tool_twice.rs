//! A tool stands twice in a bundle.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        status,
        log,
        /// See what is new.
        bundle news: { status, log, status },
    }
}

fn main() {}

/* mend
-        bundle news: { status, log, status },
+        bundle news: { status, log },
*/
