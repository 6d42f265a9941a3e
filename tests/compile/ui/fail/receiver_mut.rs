//! The server lends its state to many calls.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Drop what has changed")]
    fn reset(&mut self) {}
}

fn main() {}

/* mend
-    fn reset(&mut self) {}
+    fn reset(&self) {}
*/
