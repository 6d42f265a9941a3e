//! A method of a type that borrows.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Files<'a> {
    root: &'a str,
}

impl<'a> Files<'a> {
    #[pd_tool(summary = "Search the files' text")]
    pub fn search(&self, text: String) {}

    #[pd_tool(summary = "List the files' names")]
    async fn list(&self) {}
}

fn main() {}

/* mend
-impl<'a> Files<'a> {
+impl Files<'static> {
*/
