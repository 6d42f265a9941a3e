//! A doc comment that only the compiler can read is no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

macro_rules! shared {
    () => {
        "Show status"
    };
}

#[doc = shared!()]
#[pd_tool]
fn status() {}

fn main() {}

/* mend
-#[pd_tool]
+#[pd_tool(summary = "Show what has changed")]
*/
