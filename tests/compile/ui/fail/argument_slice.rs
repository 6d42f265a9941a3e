//! A borrowed slice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(words: &[String]) {}

fn main() {}

/* mend
-fn search(words: &[String]) {}
+fn search(words: Vec<String>) {}
*/
