//! The first paragraph of the doc comment is too long to serve as summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// List the commits of a branch or of a path,
/// newest first, with their authors.
#[pd_tool]
fn log() {}

fn main() {}

/* mend
-#[pd_tool]
+#[pd_tool(summary = "List commits, newest first")]
*/
