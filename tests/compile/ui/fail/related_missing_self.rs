//! Related tools of `Self` do not exist, in a generic impl that no registry knows.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Shelf<T>(T);

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title", related(Self::improt, Shelf::<u8>::lend))]
    fn find(&self) {}

    fn lend(&self) {}

    #[pd_tool(summary = "Import many things at once", related(Self::find))]
    fn import(&self) {}
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Find a thing by its title", related(Self::improt, Shelf::<u8>::lend))]
+    #[pd_tool(summary = "Find a thing by its title", related(Self::import))]
*/
