//! A receiver is nothing that a caller sends.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(#[arg(default = 1)] &self) {}
}

fn main() {}

/* mend
-    fn status(#[arg(default = 1)] &self) {}
+    fn status(&self) {}
*/
