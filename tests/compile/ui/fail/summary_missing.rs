//! The summary is neither a key nor a doc comment.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool]
fn status() {}

fn main() {}

/* mend
-#[pd_tool]
+#[pd_tool(summary = "Show what has changed")]
*/
