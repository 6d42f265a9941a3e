//! Generic impls: bounds, where clauses, constants, lifetimes, and types that only a trait names.

#![deny(warnings)]

use pd_runtime::prelude::*;
use std::{fmt::Display, marker::PhantomData};

trait Store: Send + Sync + 'static {
    type Key: serde::de::DeserializeOwned + schemars::JsonSchema + Display + Send;
    const NAME: &'static str;
}

struct Users<T, const PAGE: usize = 20>
where
    T: ?Sized,
{
    store: PhantomData<T>,
}

impl<T, const PAGE: usize> Users<T, PAGE>
where
    T: Store + ?Sized,
    T::Key: Clone,
    for<'a> &'a str: Into<String>,
{
    /// Find a user by key
    ///
    /// # Examples
    ///
    /// ```json
    /// { "key": 7 }
    /// ```
    #[pd_tool(related(Self::list))]
    async fn find(&self, key: T::Key, call: &CallContext) -> Json<String> {
        let _ = (call, &self.store);
        Json(format!("{} {}", T::NAME, key.clone()))
    }

    #[pd_tool(summary = "List the keys of all users", related(Users::<T, PAGE>::find))]
    fn list<'a>(&'a self, #[arg(default = PAGE)] limit: usize) -> Json<usize>
    where
        T: 'a,
    {
        Json(limit)
    }
}

struct Memory;

impl Store for Memory {
    type Key = u64;
    const NAME: &'static str = "memory";
}

fn tools<T: Store<Key = u64>>() -> Registry<Users<T, 5>> {
    pd_runtime::registry! { Users::<T, 5>::{find, list} }
}

fn main() {
    assert!(tools::<Memory>().check().is_ok_and(|checked| checked.examples == 1));
    let _: Registry<Users<Memory>> = pd_runtime::registry! { <Users<Memory>>::{find, list} };
    let _ = Users::<Memory> { store: PhantomData };
}
