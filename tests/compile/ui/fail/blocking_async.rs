//! An async function already yields.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", blocking)]
async fn status() {}

fn main() {}

/* mend
-async fn status() {}
+fn status() {}
*/
