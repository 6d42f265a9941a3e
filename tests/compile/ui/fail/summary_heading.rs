//! A heading is no summary.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// # Status
///
/// What has changed.
#[pd_tool]
fn status() {}

fn main() {}

/* mend
-/// # Status
-///
-/// What has changed.
+/// What has changed.
*/
