//! A library's public tools. Who registers them is another crate's business, so rustc says nothing about one that nobody
//! has registered here; `ui/fail/unregistered_*` shows what it says about private ones.

#![deny(dead_code)]

use pd_runtime::prelude::*;

/// The example of the repository's README compiles. Packages do not contain that file, so their tests
/// cannot include it.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

/// A repository.
#[derive(Debug)]
pub struct Repo;

impl Repo {
    /// Show what has changed.
    #[pd_tool]
    pub fn status(&self) {}
}

/// Tell the server's time.
#[pd_tool]
pub fn now() {}
