//! A field is left out by a word alone.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

#[derive(State)]
struct App {
    #[state(skip = "yes")]
    repo: Repo,
}

fn main() {}

/* mend
-    #[state(skip = "yes")]
+    #[state(skip)]
*/
