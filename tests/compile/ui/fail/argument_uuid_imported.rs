//! A type of another crate is known by its name alone, inside of other types, too.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use uuid::Uuid;

#[pd_tool(summary = "Find notes by their ids")]
fn find(ids: Option<Vec<Uuid>>) {}

fn main() {}

/* mend
-fn find(ids: Option<Vec<Uuid>>) {}
+fn find(ids: Option<Vec<String>>) {}
*/
