//! A tool has one schema.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status<T: Send>(value: Vec<T>) {}

fn main() {}

/* mend
-fn status<T: Send>(value: Vec<T>) {}
+fn status(value: Vec<String>) {}
*/
