//! Examples whose choice of columns is none.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Table, prelude::*};

/// # Examples
///
/// ```json
/// { "abstract_domains": ["name"] }
/// ```
///
/// ```json
/// { "abstract_domains": "name", "mode": "inline" }
/// ```
#[pd_tool(summary = "Run a stored query", selective)]
fn query() -> Table {
    Table::default()
}

fn main() {}

/* mend
-/// { "abstract_domains": ["name"] }
+/// { "abstract_domains": "name" }

-/// { "abstract_domains": "name", "mode": "inline" }
+/// { "abstract_domains": "name", "mode": "sync" }
*/
