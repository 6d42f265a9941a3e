//! Related tools are found in every scope: in a module under names of their own, in a function's body, around it, and where
//! an inner one hides an outer one.

use pd_runtime::prelude::*;

#[pd_tool(name = "clock.now", summary = "Tell the server's time", related(clock::zone, later))]
fn now() {}

#[deprecated]
#[pd_tool(summary = "Tell a later time", related(now))]
fn later() {}

mod clock {
    use pd_runtime::prelude::*;

    #[pd_tool(name = "clock.zone", summary = "Tell the server's time zone", related(super::now, crate::later))]
    pub fn zone() {}
}

fn outer() -> Registry<()> {
    pd_runtime::registry! { now, later, clock::zone }
}

fn inner() -> Registry<()> {
    #[pd_tool(summary = "Tell the time in the body", related(later, now, renamed))]
    fn here() {}

    #[pd_tool(name = "clock.renamed", summary = "Tell the time by another name")]
    fn renamed() {}

    #[pd_tool(summary = "Tell a later time in the body", related(here))]
    fn later() {}

    pd_runtime::registry! { here, later, renamed, now, clock::zone }
}

fn main() {
    assert!(outer().check().is_ok());
    assert!(inner().check().is_ok());
}
