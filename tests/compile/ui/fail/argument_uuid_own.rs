//! A type of one's own may have the name of another crate's.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Uuid(u128);

#[pd_tool(summary = "Find a note by its id")]
fn find(id: Uuid) {}

fn main() {}

/* mend
-struct Uuid(u128);
+#[derive(serde::Deserialize, schemars::JsonSchema)]
+struct Uuid(u128);
*/
