//! Every parameter is wrong in its own way.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

#[pd_tool(summary = "Search the files' text")]
fn search(
    text: &str,
    (from, to): (u32, u32),
    index: &mut Index,
    #[arg(range(min = 1))] limit: u32,
    words: Vec<&str>,
    below: impl AsRef<str>,
    /// The call.
    call: &CallContext,
) {
}

fn main() {}

/* mend
-    text: &str,
-    (from, to): (u32, u32),
-    index: &mut Index,
-    #[arg(range(min = 1))] limit: u32,
-    words: Vec<&str>,
-    below: impl AsRef<str>,
-    /// The call.
-    call: &CallContext,
+    text: String,
+    range: (u32, u32),
+    index: &Index,
+    #[arg(minimum = 1)] limit: u32,
+    words: Vec<String>,
+    below: String,
+    call: &CallContext,
*/
