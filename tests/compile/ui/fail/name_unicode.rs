//! A function has a name that clients refuse.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Measure the repository")]
fn größe() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Measure the repository")]
+#[pd_tool(summary = "Measure the repository", name = "size")]
*/
