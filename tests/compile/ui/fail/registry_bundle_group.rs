//! A group stands in a bundle.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        status,
        /// See what is new.
        bundle news: {
            status,
            /// Read history.
            history: log,
        },
    }
}

fn main() {}

/* mend
-        /// See what is new.
+        /// Read history.
+        history: log,
+        /// See what is new.

-            /// Read history.
-            history: log,
+            log,
*/
