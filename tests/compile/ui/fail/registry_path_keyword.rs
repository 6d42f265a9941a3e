//! A keyword in a tool's path.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show of which kind it is")]
fn r#type() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { type }
}

fn main() {}

/* mend
-    pd_runtime::registry! { type }
+    pd_runtime::registry! { r#type }
*/
