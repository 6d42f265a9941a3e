//! A related tool of a module does not exist.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

mod clock {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Tell the server's time")]
    pub fn now() {}
}

#[pd_tool(summary = "Show what has changed", related(clock::nwo))]
fn status() {}

fn main() {}

/* mend
-#[pd_tool(summary = "Show what has changed", related(clock::nwo))]
+#[pd_tool(summary = "Show what has changed", related(clock::now))]
*/
