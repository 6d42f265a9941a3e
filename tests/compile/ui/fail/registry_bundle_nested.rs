//! A bundle stands in a group.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        git: {
            status,
            log,
            /// See what is new.
            bundle news: { status, log },
        },
    }
}

fn main() {}

/* mend
-            /// See what is new.
-            bundle news: { status, log },
         },
+        /// See what is new.
+        bundle news: { status, log },
*/
