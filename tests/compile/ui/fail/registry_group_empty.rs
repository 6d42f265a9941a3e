//! A group holds nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        git: {},
    }
}

fn main() {}

/* mend
-fn registry() -> Registry<()> {
+#[pd_tool(summary = "Show what has changed")]
+fn status() {}
+
+fn registry() -> Registry<()> {

-        git: {},
+        git: status,
*/
