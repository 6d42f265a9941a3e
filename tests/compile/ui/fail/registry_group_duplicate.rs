//! Two groups have one name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        git: status,
        /// More of it.
        more: {
            /// The same again.
            git: status,
        },
    }
}

fn main() {}

/* mend
-            git: status,
+            more_git: status,
*/
