//! `Args` has no default of its own.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    limit: u32,
}

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = { "limit": 20 })] query: Args<Query>) {}

fn main() {}

/* mend
-struct Query {
-    limit: u32,
-}
+struct Query {
+    #[serde(default)]
+    limit: u32,
+}

-fn search(#[arg(default = { "limit": 20 })] query: Args<Query>) {}
+fn search(query: Args<Query>) {}
*/
