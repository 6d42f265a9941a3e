//! `Args` under another name beside other arguments.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use pd_runtime::Args as Parameters;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    number: u32,
}

#[pd_tool(summary = "List users, page by page")]
fn list(page: Parameters<Page>, order: String) {}

fn main() {}

/* mend
-    number: u32,
-}
+    number: u32,
+    order: String,
+}

-fn list(page: Parameters<Page>, order: String) {}
+fn list(page: Parameters<Page>) {}
*/
