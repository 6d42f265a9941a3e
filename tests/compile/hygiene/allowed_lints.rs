//! What the function allows is allowed in what stands beside it.

#![deny(warnings)]

use pd_runtime::prelude::*;

mod old {
    #![allow(deprecated, reason = "it is declared here")]

    #[deprecated = "take a number"]
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct Page(pub u8);
}

#[pd_tool(summary = "Turn to another page")]
#[allow(deprecated, reason = "callers still send it")]
fn turn(page: old::Page) {
    let _ = page.0;
}

fn main() {
    let _: Registry<()> = pd_runtime::registry! { turn };
}
