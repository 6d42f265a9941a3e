//! Several crates have dates, and schemars describes those of some.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

mod time {
    pub struct OffsetDateTime;
}

#[pd_tool(summary = "Find notes since a time")]
fn find(since: time::OffsetDateTime) {}

fn main() {}

/* mend
-fn find(since: time::OffsetDateTime) {}
+fn find(#[arg(format = "date-time")] since: String) {}
*/
