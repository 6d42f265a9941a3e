//! Our rules and the types of another tool, told together.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Query;

#[pd_tool(summary = "Search the files' text")]
fn search(query: Query) {}

#[pd_tool(summary = "Show what has changed", read_only, destructive)]
fn status() {}

#[derive(State)]
enum App {
    Repo(u8),
}

fn main() {}

/* mend
-struct Query;
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Query;

-#[pd_tool(summary = "Show what has changed", read_only, destructive)]
+#[pd_tool(summary = "Show what has changed", read_only)]

-enum App {
-    Repo(u8),
+struct App {
+    repo: u8,
*/
