//! An item whose name begins with `_` is never reported as dead, and keeps nothing alive: the function it calls is.
//!
//! The same holds for the impl of a trait for such a type. So a private tool that no registry names is reported at its own name, and the constants beside it say nothing.

#![deny(dead_code)]
#![allow(non_camel_case_types)]

fn status() {}

const __TOOL_STATUS: fn() = || status();

struct __KEY_STATUS;

impl Default for __KEY_STATUS {
    fn default() -> Self {
        __TOOL_STATUS();
        Self
    }
}

struct Repo;

impl Repo {
    fn log(&self) {}

    const __TOOL_LOG: fn(&Self) = |repo| repo.log();
}

fn main() {
    let _ = Repo;
}
