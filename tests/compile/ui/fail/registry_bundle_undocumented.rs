//! A bundle has no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        status,
        bundle news: status,
    }
}

fn main() {}

/* mend
-        bundle news: status,
+        /// See what is new.
+        bundle news: status,
*/
