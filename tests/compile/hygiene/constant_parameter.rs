//! A default may be a constant parameter of the impl, with limits beside it.

#![deny(warnings)]

use pd_runtime::prelude::*;

struct Users<const PAGE: usize>;

impl<const PAGE: usize> Users<PAGE> {
    #[pd_tool(summary = "List the names of all users")]
    fn list(&self, #[arg(default = PAGE, minimum = 1)] limit: usize) {
        let _ = limit;
    }
}

fn main() {
    let registry: Registry<Users<20>> = pd_runtime::registry! { Users::<20>::list };
    assert!(registry.check().is_ok());
}
