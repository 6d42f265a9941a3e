//! References inside of an array and a tuple.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(words: [&str; 2], pair: (String, &str)) {}

fn main() {}

/* mend
-fn search(words: [&str; 2], pair: (String, &str)) {}
+fn search(words: [String; 2], pair: (String, String)) {}
*/
