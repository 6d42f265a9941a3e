//! A bundle holds nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        status,
        /// See what is new.
        bundle news: {},
    }
}

fn main() {}

/* mend
-        bundle news: {},
+        bundle news: status,
*/
