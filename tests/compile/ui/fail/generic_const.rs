//! A tool has one schema, whatever its numbers are.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status<const N: usize>(names: [String; N]) {}

fn main() {}

/* mend
-fn status<const N: usize>(names: [String; N]) {}
+fn status(names: Vec<String>) {}
*/
