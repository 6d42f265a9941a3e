//! A bundle of a generic type's tools names one that the registry lacks.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Shelf<T>(T);

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title")]
    fn find(&self) {}

    #[pd_tool(summary = "Borrow a thing")]
    fn borrow(&self) {}

    fn registry() -> Registry<Self> {
        pd_runtime::registry! {
            Self::find,
            /// Find a thing and take it home.
            bundle take_home: Self::{find, borrow},
        }
    }
}

fn main() {
    Shelf::<u8>::registry();
}
