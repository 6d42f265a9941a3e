//! State that many calls cannot share.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index(std::cell::RefCell<Vec<String>>);

#[pd_tool(summary = "Search the files' text")]
fn search(index: &Index) {}

fn main() {}

/* mend
-struct Index(std::cell::RefCell<Vec<String>>);
+struct Index(std::sync::RwLock<Vec<String>>);
*/
