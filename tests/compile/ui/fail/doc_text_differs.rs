//! A macro of another crate has the name of one of std.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

macro_rules! concat {
    ($text:literal, $other:literal) => {
        $other
    };
}

#[doc = concat!("Reads a file.", "Reads nothing.")]
#[pd_tool(summary = "Read a file")]
fn read() {}

fn tools() -> Registry<()> {
    pd_runtime::registry! { read }
}

fn main() {}

/* mend
-#[doc = concat!("Reads a file.", "Reads nothing.")]
+/// Reads nothing.
*/
