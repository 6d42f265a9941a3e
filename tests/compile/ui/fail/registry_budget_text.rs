//! The budget is no number of tokens.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #![budget = -1]
        status,
    }
}

fn main() {}

/* mend
-        #![budget = -1]
+        #![budget = 900]
*/
