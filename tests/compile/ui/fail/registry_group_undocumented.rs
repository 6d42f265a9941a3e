//! A group has no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        git: status,
    }
}

fn main() {}

/* mend
-        git: status,
+        /// What git knows.
+        git: status,
*/
