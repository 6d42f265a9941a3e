//! A crate that denies every lint it can finds nothing to complain about.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, single_use_lifetimes)]
#![deny(missing_debug_implementations, private_interfaces, elided_lifetimes_in_paths)]
#![forbid(unsafe_code)]

use pd_runtime::prelude::*;

/// State.
#[derive(Debug)]
pub(crate) struct Repo;

/// More state.
#[derive(Debug)]
pub(crate) struct Names(Vec<String>);

/// Show the names.
#[pd_tool]
pub(crate) fn show(names: &Names) -> String {
    names.0.join(", ")
}

impl Repo {
    /// Show what has changed.
    #[pd_tool]
    pub(crate) async fn status(&self, call: &CallContext) {
        let _ = call;
    }

    /// Show what had changed.
    #[pd_tool]
    #[deprecated = "use `status`"]
    pub(crate) fn old_status(&self) {}

    /// Borrow for a while.
    #[pd_tool]
    pub(crate) fn borrow<'a>(&'a self, names: &'a Names) -> &'static str {
        let _ = names;
        "borrowed"
    }
}

/// Time.
pub(crate) mod clock {
    use pd_runtime::prelude::*;

    /// Show the time.
    #[pd_tool(related(super::show, zone::zones))]
    pub(crate) fn now() {}

    /// Zones.
    pub(crate) mod zone {
        use pd_runtime::prelude::*;

        /// List the zones.
        #[pd_tool]
        pub(crate) fn zones() {}
    }
}

/// Server.
#[derive(Debug, State)]
pub(crate) struct App {
    repo: Repo,
    names: Names,
}

fn main() {
    #[allow(deprecated, reason = "it is still served")]
    let _: Registry<App> = pd_runtime::registry! {
        Repo::{status, old_status, borrow},
        show,
        /// Tell the time.
        clock: { clock::now, clock::zone::zones },
        /// Find what to do now.
        bundle plan: { clock::now, Repo::status },
    };
}
