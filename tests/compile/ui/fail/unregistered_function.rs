//! No registry names this function.

#![deny(dead_code)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn main() {}

/* mend
-fn main() {}
+fn main() {
+    let _: Registry<()> = pd_runtime::registry! { status };
+}
*/
