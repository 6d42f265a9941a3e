//! schemars describes some types of a crate, and not this one.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

mod semver {
    pub struct VersionReq;
}

#[pd_tool(summary = "Find packages by their version")]
fn find(version: semver::VersionReq) {}

fn main() {}

/* mend
-fn find(version: semver::VersionReq) {}
+fn find(version: String) {}
*/
