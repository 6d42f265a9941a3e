//! More words of other crates.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    #[arg(regex = "^[a-z]+$")] text: String,
    #[arg(email)] author: String,
    #[arg(description = "How many to return.")] limit: u32,
    #[arg(choices("plain", "glob"))] mode: String,
    #[arg(optional)] page: u32,
    #[arg(flatten)] range: (u32, u32),
    #[arg(with = "hex")] id: String,
    #[arg(one_of = "plain")] style: String,
) {
}

fn main() {}

/* mend
-    #[arg(regex = "^[a-z]+$")] text: String,
-    #[arg(email)] author: String,
-    #[arg(description = "How many to return.")] limit: u32,
-    #[arg(choices("plain", "glob"))] mode: String,
-    #[arg(optional)] page: u32,
-    #[arg(flatten)] range: (u32, u32),
-    #[arg(with = "hex")] id: String,
-    #[arg(one_of = "plain")] style: String,
+    #[arg(pattern = "^[a-z]+$")] text: String,
+    #[arg(format = "email")] author: String,
+    /// How many to return.
+    limit: u32,
+    #[arg(one_of = ["plain", "glob"])] mode: String,
+    page: Option<u32>,
+    range: (u32, u32),
+    id: String,
+    #[arg(one_of = ["plain"])] style: String,
*/
