//! What is meant as related is near to the tool's own name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Sums;

impl Sums {
    #[pd_tool(summary = "Add numbers", related(Self::add2))]
    fn add(&self) {}
}

#[pd_tool(summary = "Count words", related(counts))]
fn count() {}

#[pd_tool(summary = "Count letters")]
fn letters() {}

fn main() {}

/* mend
-    #[pd_tool(summary = "Add numbers", related(Self::add2))]
+    #[pd_tool(summary = "Add numbers")]

-#[pd_tool(summary = "Count words", related(counts))]
+#[pd_tool(summary = "Count words", related(letters))]
*/
