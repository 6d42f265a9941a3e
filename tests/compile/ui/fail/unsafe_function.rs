//! Anyone can call a tool.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
unsafe fn status() {}

fn main() {}

/* mend
-unsafe fn status() {}
+fn status() {}
*/
