//! No tool of `Self` has this name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Shelf<T>(T);

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title")]
    fn find(&self) {}

    fn registry() -> Registry<Self> {
        pd_runtime::registry! { Self::{find, fnid} }
    }
}

fn main() {}

/* mend
-        pd_runtime::registry! { Self::{find, fnid} }
+        pd_runtime::registry! { Self::find }
*/
