//! No tool of a module has this name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

mod clock {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Tell the server's time")]
    pub fn now() {}
}

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { clock::nwo, stauts }
}

fn main() {}

/* mend
-    pd_runtime::registry! { clock::nwo, stauts }
+    pd_runtime::registry! { clock::now, status }
*/
