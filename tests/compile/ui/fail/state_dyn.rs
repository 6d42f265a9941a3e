//! State is lent by its type.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

trait Index {}

#[pd_tool(summary = "Search the files' text")]
fn search(index: &dyn Index) {}

fn main() {}

/* mend
-trait Index {}
+trait Index: Send + Sync {}

-fn search(index: &dyn Index) {}
+fn search(index: &Box<dyn Index>) {}
*/
