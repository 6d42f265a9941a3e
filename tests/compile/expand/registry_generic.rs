//! A registry in a generic impl. What may name generics is judged in an inline constant, when the code is built.

use pd_runtime::{Registry, prelude::*};

pub struct Clock;

#[pd_tool(summary = "Tell the server's time")]
pub fn now(clock: &Clock) {
    let _ = clock;
}

pub struct Users<T>(T);

impl<T: Send + Sync + 'static> Users<T> {
    #[pd_tool(summary = "Find a user by number", related(Self::list))]
    pub fn find(&self) {
        let _ = &self.0;
    }

    #[pd_tool(summary = "List users by name", related(now))]
    pub fn list(&self) {}

    pub fn registry<S: Provide<Clock> + Provide<Self> + Send + Sync + 'static>() -> Registry<S> {
        pd_runtime::registry! {
            #![budget = 900]
            now,
            Self::find,
            /// People and their caches.
            people: { Users::<T>::list, <Users<T>>::{find} },
        }
    }
}

fn main() {}
