//! Arguments by reference.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: &String, words: &Vec<String>, limit: &u32, order: &Option<String>) {}

#[pd_tool(summary = "Move a file")]
fn rename(from: &mut String, to: Option<&String>, range: &(u32, u32), mark: &[u8; 4]) {}

fn main() {}

/* mend
-fn search(text: &String, words: &Vec<String>, limit: &u32, order: &Option<String>) {}
+fn search(text: String, words: Vec<String>, limit: u32, order: Option<String>) {}

-fn rename(from: &mut String, to: Option<&String>, range: &(u32, u32), mark: &[u8; 4]) {}
+fn rename(from: String, to: Option<String>, range: (u32, u32), mark: [u8; 4]) {}
*/
