//! Arguments that every selective tool has.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{Table, prelude::*};

#[pd_tool(summary = "Run a stored query", selective)]
fn query(mode: String, #[arg(rename = "abstract_domains")] topic: String) -> Table {
    Table::default()
}

fn main() {}

/* mend
-fn query(mode: String, #[arg(rename = "abstract_domains")] topic: String) -> Table {
+fn query(order: String, topic: String) -> Table {
*/
