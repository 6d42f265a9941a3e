//! A doc comment above a tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        status,
    }
}

fn main() {}

/* mend
-        status,
+        git: status,
*/
