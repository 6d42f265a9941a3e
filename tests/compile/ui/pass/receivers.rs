//! Every way to write a receiver that borrows.

#![deny(warnings)]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first")]
    async fn log<'a>(&'a self) {}

    #[pd_tool(summary = "Show one commit with its changes")]
    fn show(self: &Self) {}
}

fn main() {
    let _: Registry<Repo> = pd_runtime::registry! { Repo::{status, log, show} };
}
