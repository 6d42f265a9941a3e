//! State has fields.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(State)]
enum App {
    Repo(u8),
}

fn main() {}

/* mend
-enum App {
-    Repo(u8),
-}
+struct App {
+    repo: u8,
+}
*/
