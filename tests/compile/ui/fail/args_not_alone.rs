//! `Args` is all arguments.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(all: Args<Vec<String>>, limit: u32) {}

fn main() {}

/* mend
-#[pd_tool(summary = "Search the files' text")]
-fn search(all: Args<Vec<String>>, limit: u32) {}
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Query {
+    text: String,
+    limit: u32,
+}
+
+#[pd_tool(summary = "Search the files' text")]
+fn search(all: Args<Query>) {}
*/
