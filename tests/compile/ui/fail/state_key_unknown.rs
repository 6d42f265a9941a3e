//! A key of `#[state]` is misspelt.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

#[derive(State)]
struct App {
    #[state(ignore)]
    repo: Repo,
}

fn main() {}

/* mend
-    #[state(ignore)]
+    #[state(skip)]
*/
