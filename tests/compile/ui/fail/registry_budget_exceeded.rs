//! The minimal listing costs more than its budget.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits of one branch or path, newest first", read_only)]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #![budget = 40]
        status,
        log,
    }
}

fn main() {}

/* mend
-        #![budget = 40]
+        #![budget = 70]
*/
