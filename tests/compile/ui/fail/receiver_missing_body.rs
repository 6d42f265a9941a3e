//! A function without receiver cannot call `Self`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status() -> String {
        Self::name()
    }

    fn name() -> String {
        String::new()
    }
}

fn main() {}

/* mend
-    fn status() -> String {
+    fn status(&self) -> String {
*/
