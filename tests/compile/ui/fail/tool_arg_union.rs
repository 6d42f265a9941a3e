//! A `ToolArg` union.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(ToolArg)]
union Bits {
    whole: u32,
    parts: [u8; 4],
}

fn main() {}

/* mend
-union Bits {
-    whole: u32,
-    parts: [u8; 4],
-}
+struct Bits {
+    whole: u32,
+    parts: [u8; 4],
+}
*/
