//! Private tools that name each other, and that no registry lists.

#![deny(dead_code)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Tell the server's time", related(status))]
fn now() {}

#[pd_tool(summary = "Show what has changed", related(now))]
fn status() {}

fn main() {}

/* mend
-fn main() {}
+fn main() {
+    let _: Registry<()> = pd_runtime::registry! { now, status };
+}
*/
