//! An item whose name begins with `_` is never reported as dead, and keeps nothing alive: the function it calls is.
//!
//! So a private tool that no registry names is reported at its own name, and the constants beside it say nothing.

#![deny(dead_code)]

fn status() {}

const __TOOL_STATUS: fn() = || status();

struct Repo;

impl Repo {
    fn log(&self) {}

    const __TOOL_LOG: fn(&Self) = |repo| repo.log();
}

fn main() {
    let _ = Repo;
}
