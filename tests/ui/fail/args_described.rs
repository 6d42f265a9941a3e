//! `Args` is described by its struct.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(
    /// All of them.
    all: Args<Vec<String>>,
) {
}

fn main() {}

/* mend
-#[pd_tool(summary = "Search the files' text")]
-fn search(
-    /// All of them.
-    all: Args<Vec<String>>,
-) {
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Query {
+    /// What to look for.
+    text: String,
+}
+
+#[pd_tool(summary = "Search the files' text")]
+fn search(
+    all: Args<Query>,
+) {
*/
