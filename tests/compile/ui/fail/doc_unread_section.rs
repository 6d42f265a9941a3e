//! A section from a macro that only the compiler evaluates.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

macro_rules! shared {
    () => {
        "- Paths are relative."
    };
}

macro_rules! shared_section {
    () => {
        "Text.\n\n# Notes\n\n- Paths are relative."
    };
}

/// Reads.
///
/// # Notes
///
#[doc = shared!()]
/// - The newest is first.
#[pd_tool(summary = "Show what has changed")]
fn status() {}

#[doc = shared_section!()]
#[pd_tool(summary = "List commits")]
fn log() {}

fn tools() -> Registry<()> {
    pd_runtime::registry! { status, log }
}

fn main() {}

/* mend
-#[doc = shared!()]
-/// - The newest is first.
+/// - Paths are relative.
+/// - The newest is first.

-#[doc = shared_section!()]
+#[doc = concat!("Text.\n\n", "# Notes\n\n", "- Paths are relative.")]
*/
