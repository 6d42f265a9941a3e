//! State as other frameworks lend it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index;

/// As of Tauri or Rocket.
struct State<'r, T>(&'r T);

#[pd_tool(summary = "Search the files' text")]
fn search(index: State<'_, Index>) {}

#[pd_tool(summary = "Count the files' words")]
fn count<'r>(index: State<'r, Index>) {}

fn main() {}

/* mend
-fn search(index: State<'_, Index>) {}
+fn search(index: &Index) {}

-fn count<'r>(index: State<'r, Index>) {}
+fn count<'r>(index: &'r Index) {}
*/
