//! An `impl` return type has no schema.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() -> impl Sized {}

fn main() {}

/* mend
-fn status() -> impl Sized {}
+fn status() -> () {}
*/
