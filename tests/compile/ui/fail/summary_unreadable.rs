//! A doc comment that only the compiler can read is no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[doc = concat!("Show ", "status")]
#[pd_tool]
fn status() {}

fn main() {}

/* mend
-#[pd_tool]
+#[pd_tool(summary = "Show what has changed")]
*/
