//! An example with a key that has a dot in it: the value alone is told.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "ports": { "db.local": 70000, "web.local": 80 } }
/// ```
#[pd_tool(summary = "Map ports of hosts")]
async fn map(ports: std::collections::BTreeMap<String, u16>) {}

fn main() {}

/* mend
-/// { "ports": { "db.local": 70000, "web.local": 80 } }
+/// { "ports": { "db.local": 7000, "web.local": 80 } }
*/
