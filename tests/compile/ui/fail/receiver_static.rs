//! A receiver that is lent for ever.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Files;

impl Files {
    #[pd_tool(summary = "Search the files' text")]
    async fn search(&'static self, text: String) {}
}

fn main() {}

/* mend
-    async fn search(&'static self, text: String) {}
+    async fn search(&self, text: String) {}
*/
