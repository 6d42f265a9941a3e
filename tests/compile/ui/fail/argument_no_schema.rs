//! A type that cannot be read from JSON is reported once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Query;

#[pd_tool(summary = "Search the files' text")]
fn search(query: Query) {}

fn main() {}

/* mend
-struct Query;
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Query;
*/
