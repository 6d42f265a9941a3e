//! Several keys of one attribute.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed", titel = "Status", eager = 1, aliases("status"), scopes("a b"), read_only, destructive)]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", titel = "Status", eager = 1, aliases("status"), scopes("a b"), read_only, destructive)]
+#[pd_tool(summary = "Show what has changed", title = "Status", eager, aliases("changes"), scopes("a", "b"), read_only)]
*/
