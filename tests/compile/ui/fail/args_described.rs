//! `Args` is described by its struct.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Words {
    words: Vec<String>,
}

#[pd_tool(summary = "Search the files' text")]
fn search(
    /// All of them.
    all: Args<Words>,
) {
}

fn main() {}

/* mend
-    words: Vec<String>,
+    /// All of them.
+    words: Vec<String>,

-fn search(
-    /// All of them.
-    all: Args<Words>,
+fn search(
+    all: Args<Words>,
*/
