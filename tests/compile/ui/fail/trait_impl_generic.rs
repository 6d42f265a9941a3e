//! Methods in trait impls with generics, braces in texts, and no receiver.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

trait Status<T> {
    const CLOSING: &'static str;
    fn status(&self, what: T) -> String;
    fn new() -> Self;
}

struct Repo<T>(T);

impl<T: Fn() -> u8> Status<[u8; 2]> for Repo<T>
where
    T: Default,
{
    const CLOSING: &'static str = "}"; // }

    #[pd_tool(summary = "Show what has changed")]
    fn status(&self, what: [u8; 2]) -> String {
        format!("{what:?}")
    }

    #[pd_tool(summary = "Make a repository")]
    fn new() -> Self {
        Self(T::default())
    }
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Show what has changed")]
-    fn status(&self, what: [u8; 2]) -> String {
+    fn status(&self, what: [u8; 2]) -> String {

-    #[pd_tool(summary = "Make a repository")]
-    fn new() -> Self {
+    fn new() -> Self {
*/
