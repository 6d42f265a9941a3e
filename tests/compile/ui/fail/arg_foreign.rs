//! Words of other crates.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    #[arg(range(min = 1))] limit: u32,
    #[arg(length(max = 9))] text: String,
    #[arg(skip)] cache: bool,
    #[arg(alias = "q")] query: String,
    #[arg(default_value = "x")] mode: String,
    #[arg(short)] all: bool,
    #[arg(example = "x")] word: String,
) {
}

fn main() {}

/* mend
-    #[arg(range(min = 1))] limit: u32,
-    #[arg(length(max = 9))] text: String,
-    #[arg(skip)] cache: bool,
-    #[arg(alias = "q")] query: String,
-    #[arg(default_value = "x")] mode: String,
-    #[arg(short)] all: bool,
-    #[arg(example = "x")] word: String,
+    #[arg(minimum = 1)] limit: u32,
+    #[arg(max_length = 9)] text: String,
+    cache: &std::sync::Mutex<bool>,
+    #[arg(rename = "q")] query: String,
+    #[arg(default = "x")] mode: String,
+    all: bool,
+    word: String,
*/
