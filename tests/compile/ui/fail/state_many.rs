//! A tool that borrows more than the server can lend at once.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Part<const N: u8>;

#[pd_tool(summary = "Search the files' text")]
fn search(
    a: &Part<0>,
    b: &Part<1>,
    c: &Part<2>,
    d: &Part<3>,
    e: &Part<4>,
    f: &Part<5>,
    g: &Part<6>,
    h: &Part<7>,
    i: &Part<8>,
) {
}

fn main() {}

/* mend
-struct Part<const N: u8>;
+struct Part<const N: u8>;
+struct Others(Part<7>, Part<8>);

-    h: &Part<7>,
-    i: &Part<8>,
-) {
+    others: &Others,
+) {
*/
