//! A registry is nothing but a bundle.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// See what is new.
        bundle news: status,
    }
}

fn main() {}

/* mend
-        /// See what is new.
+        status,
+        /// See what is new.
*/
