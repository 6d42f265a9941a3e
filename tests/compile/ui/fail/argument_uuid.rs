//! schemars describes a type of another crate with a feature of its own.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a note by its id")]
fn find(id: uuid::Uuid) {}

fn main() {}

/* mend
-fn find(id: uuid::Uuid) {}
+fn find(id: String) {}
*/
