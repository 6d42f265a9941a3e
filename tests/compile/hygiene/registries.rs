//! Registries in odd places: generic functions and impls, functions with tools of their own, macros, traits.

#![deny(warnings)]

use pd_runtime::prelude::*;

struct Shelf<T>(T);

/// Generated names of two registries and of tools within one function do not meet.
const __PD_CONTENTS: &str = "the author's";

impl<T: Send + Sync + 'static> Shelf<T> {
    #[pd_tool(summary = "Find a thing by its title", related(Self::list, now))]
    fn find(&self) -> String {
        size_of_val(&self.0).to_string()
    }

    #[pd_tool(summary = "List all things", related(Shelf::<T>::find, Self::find, <Self>::find))]
    fn list(&self) {}

    fn own() -> Registry<Self> {
        pd_runtime::registry! {
            #![budget = 900]
            Self::{find, list},
            now,
        }
    }
}

#[pd_tool(summary = "Tell the server's time")]
fn now() {}

fn generic<T: Send + Sync + 'static>() -> Registry<Shelf<T>> {
    pd_runtime::registry! { Shelf::<T>::{find, list}, now }
}

struct Plain;

impl Plain {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

trait Serves: Sized {
    fn registry() -> Registry<Self>;
}

impl Serves for Plain {
    fn registry() -> Registry<Self> {
        pd_runtime::registry! { Self::status }
    }
}

fn local() -> Registry<Plain> {
    #[pd_tool(summary = "Say nothing, politely", related(Plain::status))]
    fn silence() {}

    let (first, second) = (
        pd_runtime::registry! {
            #![budget = 100usize]
            Plain::status,
            silence,
            /// A tool may stand in several groups.
            again: { silence, Plain::status },
            #[cfg(any())]
            /// What is not compiled.
            nowhere: Nowhere::gone,
            #[cfg(all())]
            /// And under several conditions.
            here: {
                #[cfg(any())]
                gone,
                #[cfg(not(any()))]
                silence,
            },
        },
        pd_runtime::registry! {},
    );
    let _: Registry<()> = second;
    first
}

macro_rules! served {
    ($ty:ident: $($tool:ident),*) => {
        pd_runtime::registry! {
            #![budget = 900]
            $($ty::$tool,)*
            /// All in one.
            all: $ty::{$($tool),*},
        }
    };
}

fn main() {
    let registries = [served!(Plain: status), Plain::registry(), local()];
    assert_eq!(registries.map(|registry| registry.check().unwrap().tools), [1, 1, 2]);
    assert_eq!(Shelf::<u8>::own().check().unwrap().tools + generic::<u16>().check().unwrap().tools, 6);
    assert_eq!(__PD_CONTENTS, "the author's");
}
