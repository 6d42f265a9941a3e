//! A function without receiver cannot name `Self`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(other: Option<Self>) {}
}

fn main() {}

/* mend
-    fn status(other: Option<Self>) {}
+    fn status(&self) {}
*/
