//! State is lent to many calls.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

#[pd_tool(summary = "Search the files' text")]
fn search(index: &mut Index) {}

fn main() {}

/* mend
-struct Index;
+struct Index(std::sync::Mutex<Vec<String>>);

-fn search(index: &mut Index) {}
+fn search(index: &Index) {}
*/
