//! Defaults of options and lists, as Rust writes them.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "List commits", tags("git"), rate_limit = 10)]
fn log(
    #[arg(default = None)] author: Option<String>,
    #[arg(default = Some(20))] limit: Option<u32>,
    #[arg(default = vec![])] paths: Vec<String>,
) {
}

fn main() {}

/* mend
-#[pd_tool(summary = "List commits", tags("git"), rate_limit = 10)]
+#[pd_tool(summary = "List commits", aliases("git"))]

-    #[arg(default = None)] author: Option<String>,
-    #[arg(default = Some(20))] limit: Option<u32>,
-    #[arg(default = vec![])] paths: Vec<String>,
+    author: Option<String>,
+    #[arg(default = 20)] limit: u32,
+    #[arg(default = [])] paths: Vec<String>,
*/
