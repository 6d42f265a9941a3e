//! A parameter in letters that the large model hosts refuse.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Find a user by number")]
async fn find(größe: u64) {}

fn main() {}

/* mend
-async fn find(größe: u64) {}
+async fn find(#[arg(rename = "groesse")] größe: u64) {}
*/
