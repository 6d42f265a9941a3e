//! A bundle's name is not legal on the wire.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        status,
        /// See what is new.
        bundle WhatIsNew: status,
    }
}

fn main() {}

/* mend
-        bundle WhatIsNew: status,
+        bundle what_is_new: status,
*/
