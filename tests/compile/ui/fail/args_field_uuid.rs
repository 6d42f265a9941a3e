//! A field of another crate's type needs schemars' feature for it (`uuid1`), or another type to describe it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    id: uuid::Uuid,
}

#[pd_tool(summary = "Find a note by its id")]
fn find(query: Args<Query>) {}

fn main() {}

/* mend
+    #[schemars(with = "String")]
     id: uuid::Uuid,
*/
