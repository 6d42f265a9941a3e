//! A word is given twice, in two attributes.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    #[arg(minimum = 1)]
    #[arg(minimum = 2)]
    limit: u32,
) {
}

fn main() {}

/* mend
-    #[arg(minimum = 1)]
-    #[arg(minimum = 2)]
+    #[arg(minimum = 1)]
*/
