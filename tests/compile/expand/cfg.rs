//! `#[cfg]` on a tool, an argument, the context and a registry's entries is kept.

use pd_runtime::{Registry, prelude::*};

#[cfg(not(windows))]
#[pd_tool(summary = "List what runs here")]
pub fn processes(
    #[cfg(unix)] user: Option<String>,
    #[cfg(windows)] account: Option<String>,
    #[cfg(unix)] call: &CallContext,
) -> String {
    let _ = call;
    user.unwrap_or_default()
}

pub fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #[cfg(not(windows))]
        processes,
        #[cfg(windows)]
        /// What only this system has.
        system: services,
    }
}

fn main() {}
