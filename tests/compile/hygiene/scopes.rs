//! Tools in modules, in functions and behind `cfg_attr`.

#![deny(warnings)]

mod history {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "List commits, newest first", related(super::status))]
    pub fn log() {}

    pub mod deep {
        #[pd_runtime::pd_tool(summary = "Show who wrote each line", related(super::log, crate::status))]
        pub async fn blame() {}
    }
}

#[cfg_attr(all(), pd_runtime::pd_tool(summary = "Show what has changed"))]
fn status() {}

fn main() {
    #[pd_runtime::pd_tool(summary = "Say nothing, politely")]
    fn silence() {}

    let _: pd_runtime::Registry<()> = pd_runtime::registry! {
        status,
        silence,
        /// Read history.
        history: history::{log, deep::{blame}},
    };
}
