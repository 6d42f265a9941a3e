//! A selective tool without a result.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Table, prelude::*};

#[pd_tool(summary = "List weather alerts", selective)]
fn alerts() {}

fn main() {}

/* mend
-fn alerts() {}
+fn alerts() -> Table {
+    Table::default()
+}
*/
