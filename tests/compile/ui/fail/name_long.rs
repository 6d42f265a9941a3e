//! A name is longer than clients allow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn show_what_has_changed_in_the_working_tree_and_in_the_index_since_the_last_commit() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed")]
+#[pd_tool(summary = "Show what has changed", name = "status")]
*/
