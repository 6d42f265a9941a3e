//! A field is left out above it, not above the struct.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

#[derive(State)]
#[state(skip)]
struct App {
    repo: Repo,
}

fn main() {}

/* mend
-#[derive(State)]
-#[state(skip)]
-struct App {
-    repo: Repo,
+#[derive(State)]
+struct App {
+    #[state(skip)]
+    repo: Repo,
*/
