//! A doc comment that is a file is no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[doc = include_str!("summary_empty.rs")]
#[pd_tool]
fn status() {}

fn main() {}

/* mend
-#[doc = include_str!("summary_empty.rs")]
-#[pd_tool]
+/// Show what has changed.
+#[pd_tool]
*/
