//! A default is a call.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn ten() -> u32 {
    10
}

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(default = ten())] limit: u32, #[arg(default = Vec::new(), min_items = 0)] words: Vec<String>) {}

fn main() {}

/* mend
-fn ten() -> u32 {
-    10
-}
+const TEN: u32 = 10;

-fn search(#[arg(default = ten())] limit: u32, #[arg(default = Vec::new(), min_items = 0)] words: Vec<String>) {}
+fn search(#[arg(default = TEN)] limit: u32, #[arg(default = [], min_items = 0)] words: Vec<String>) {}
*/
