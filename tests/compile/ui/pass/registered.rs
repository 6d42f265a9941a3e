//! Private tools that a registry names are used, and so is all they touch.

#![deny(dead_code)]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed", related(Self::log))]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first", related(now))]
    async fn log(&self, limit: u32) -> Json<u32> {
        Json(limit.min(MOST))
    }
}

const MOST: u32 = 500;

#[pd_tool(summary = "Tell the server's time")]
fn now() {}

fn main() {
    let _: Registry<Repo> = pd_runtime::registry! { Repo::{status, log}, now };
}
