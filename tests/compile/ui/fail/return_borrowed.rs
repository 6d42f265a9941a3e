//! A result outlives what the tool borrowed.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo {
    status: String,
}

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) -> &str {
        &self.status
    }
}

fn main() {}

/* mend
-    fn status(&self) -> &str {
-        &self.status
+    fn status(&self) -> String {
+        self.status.clone()
*/
