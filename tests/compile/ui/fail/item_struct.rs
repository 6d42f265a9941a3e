//! Only functions are tools.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
struct Status;

fn main() {}

/* mend
-struct Status;
+fn status() {}
*/
