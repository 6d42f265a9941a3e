//! The summary of a group is not readable.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

macro_rules! shared {
    () => {
        "What git knows."
    };
}

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #[doc = shared!()]
        git: status,
        /// Other tools.
        #[cfg_attr(all(), doc = "Begin here.")]
        other: status,
    }
}

fn main() {}

/* mend
-        #[doc = shared!()]
+        /// Git.
+        ///
+        #[doc = shared!()]

-        #[cfg_attr(all(), doc = "Begin here.")]
+        ///
+        /// Begin here.
*/
