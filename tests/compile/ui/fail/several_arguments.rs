//! Several arguments refuse what they ask for.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    #[arg(minimum = 9, maximum = 1)] limit: u32,
    #[arg(default = "regex", one_of = ["plain", "glob"])] mode: String,
    #[arg(one_of = [])] kind: String,
    #[arg(rename = "mode")] style: String,
    #[arg(default = 0, minimum = 1)] page: u32,
) {
}

fn main() {}

/* mend
-    #[arg(minimum = 9, maximum = 1)] limit: u32,
-    #[arg(default = "regex", one_of = ["plain", "glob"])] mode: String,
-    #[arg(one_of = [])] kind: String,
-    #[arg(rename = "mode")] style: String,
-    #[arg(default = 0, minimum = 1)] page: u32,
+    #[arg(minimum = 1, maximum = 9)] limit: u32,
+    #[arg(default = "glob", one_of = ["plain", "glob"])] mode: String,
+    #[arg(one_of = ["text", "name"])] kind: String,
+    style: String,
+    #[arg(default = 1, minimum = 1)] page: u32,
*/
