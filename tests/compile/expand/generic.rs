//! A generic impl; the lifetime of a borrowed state type becomes `'static` in the constants.

use pd_runtime::prelude::*;
use std::borrow::Cow;

struct Users<T>(T);

impl<T: Send + Sync + 'static> Users<T> {
    #[pd_tool(summary = "Find a user by number")]
    pub fn find<'a>(&self, id: u64, names: &Vec<Cow<'a, str>>) -> Cow<'static, str> {
        let _ = (&self.0, names);
        Cow::Owned(id.to_string())
    }
}

fn main() {}
