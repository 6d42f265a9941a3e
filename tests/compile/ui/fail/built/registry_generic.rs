//! Several mistakes in a registry of generic tools, which are judged when it is built, one at a time.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Shelf<T>(T);

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title", related(Self::import))]
    fn find(&self) {}

    #[pd_tool(summary = "Import many things at once")]
    fn import(&self) {}

    fn registry() -> Registry<Self> {
        pd_runtime::registry! {
            #![budget = 10]
            Self::find,
        }
    }
}

fn main() {
    Shelf::<u8>::registry();
}
