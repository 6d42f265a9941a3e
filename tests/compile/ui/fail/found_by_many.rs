//! There are more requests than a tool may have.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(
    summary = "Show what has changed",
    found_by(
        "has anything changed",
        "did I forget a file",
        "what did I edit",
        "is my work saved",
        "which files differ",
        "am I on a branch",
        "what is staged",
        "is the tree clean",
        "what is new here",
        "what would I lose",
        "did the merge end",
        "is there a conflict",
        "what did I delete",
        "which files are new",
        "what did I rename",
        "can I switch now",
        "is it safe to pull",
        "what did I touch today",
        "is anything untracked",
        "am I done here",
        "what is left to commit",
    )
)]
fn status() {}

fn main() {}

/* mend
-        "what is left to commit",
*/
