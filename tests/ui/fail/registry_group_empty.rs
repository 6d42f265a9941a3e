//! A group holds nothing.

#![allow(unused)]

use pd_runtime::prelude::*;

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        /// What git knows.
        git: {},
    }
}

fn main() {}
