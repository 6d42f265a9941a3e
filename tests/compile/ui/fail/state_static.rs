//! State that is lent for ever.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

#[pd_tool(summary = "Search the files' text")]
async fn search(index: &'static Index) {}

#[pd_tool(summary = "Count the files' words")]
fn count(call: &'static CallContext) {}

fn main() {}

/* mend
-async fn search(index: &'static Index) {}
+async fn search(index: &Index) {}

-fn count(call: &'static CallContext) {}
+fn count(call: &CallContext) {}
*/
