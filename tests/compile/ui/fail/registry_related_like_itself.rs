//! A related tool that the registry lacks is near to the tool's own name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Add numbers", related(add2))]
fn add() {}

#[pd_tool(summary = "Add two numbers")]
fn add2() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { add }
}

fn main() {}

/* mend
-    pd_runtime::registry! { add }
+    pd_runtime::registry! { add, add2 }
*/
