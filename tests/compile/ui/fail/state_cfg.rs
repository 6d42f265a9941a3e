//! What a tool borrows is one type.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

#[pd_tool(summary = "Search the files' text")]
fn search(#[cfg(unix)] index: &Index) {}

fn main() {}

/* mend
-fn search(#[cfg(unix)] index: &Index) {}
+#[cfg(unix)]
+fn search(index: &Index) {}
*/
