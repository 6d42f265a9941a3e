//! A borrowed string of the system.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(file: &std::ffi::OsStr, words: Vec<&[u8]>) {}

fn main() {}

/* mend
-fn search(file: &std::ffi::OsStr, words: Vec<&[u8]>) {}
+fn search(file: std::ffi::OsString, words: Vec<Vec<u8>>) {}
*/
