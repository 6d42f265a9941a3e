//! Bundles beside groups, and the other things that may be called `bundle`.

use pd_runtime::{Registry, prelude::*};

pub struct Repo;

impl Repo {
    #[pd_tool(summary = "Show who last changed a line")]
    pub fn blame(&self) {}

    #[pd_tool(summary = "Show one commit")]
    pub fn show(&self) {}
}

mod bundle {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Pack all files into one")]
    pub fn pack() {}
}

#[pd_tool(name = "unpack", summary = "Take the files out again")]
fn bundle() {}

pub fn registry() -> Registry<Repo> {
    pd_runtime::registry! {
        bundle,
        bundle::pack,
        /// A group, not a bundle.
        bundle: Repo::show,
        /// Find who broke a line.
        ///
        /// Blame the line, then show the commit it names.
        bundle who_broke_it: Repo::{blame, show},
        /// Read history.
        history: Repo::{blame, show},
        /// Move a version elsewhere.
        #[cfg(all())]
        bundle bundle_up: {
            bundle,
            #[cfg(any())]
            bundle::unpack,
            bundle::pack,
        },
    }
}

fn main() {}
