//! A group's name is not legal on the wire.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        Git__tools: status,
    }
}

fn main() {}

/* mend
-        Git__tools: status,
+        git_tools: status,
*/
