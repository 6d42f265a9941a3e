//! A tool stands twice in one place.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { status, status }
}

fn main() {}

/* mend
-    pd_runtime::registry! { status, status }
+    pd_runtime::registry! { status }
*/
