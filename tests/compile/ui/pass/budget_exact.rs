//! A budget may be spent to the last token: the compiler reckons as `Registry::check` does.

#![deny(warnings)]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[pd_tool(summary = "List commits of one branch or path, newest first", read_only)]
fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! {
        #![budget = 67]
        status,
        log,
        /// A tool of two groups costs once.
        history: log,
    }
}

fn main() {
    assert_eq!(registry().check().unwrap().listing_tokens, 67);
}
