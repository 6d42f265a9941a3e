//! A related tool has a name of its own, and stands in a function's body.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn tools() {
    #[pd_tool(name = "clock.now", summary = "Tell the server's time")]
    fn now() {}

    #[pd_tool(summary = "Show what has changed", related(now))]
    fn status() {}
}

fn main() {}

/* mend
-    #[pd_tool(name = "clock.now", summary = "Tell the server's time")]
+    #[pd_tool(summary = "Tell the server's time")]
*/
