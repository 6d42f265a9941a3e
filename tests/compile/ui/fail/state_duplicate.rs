//! Two fields have one type.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

#[derive(State)]
struct App {
    origin: Repo,
    fork: Repo,
}

fn main() {}

/* mend
-    fork: Repo,
+    #[state(skip)]
+    fork: Repo,
*/
