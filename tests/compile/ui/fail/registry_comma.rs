//! Two entries stand without a comma.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits, newest first")]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { status log }
}

fn main() {}

/* mend
-    pd_runtime::registry! { status log }
+    pd_runtime::registry! { status, log }
*/
