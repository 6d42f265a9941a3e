//! The registry is of another state than its tools borrow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::sync::Arc;

struct App;

#[pd_tool(summary = "Search the files' text")]
fn search(app: &App) {}

#[pd_tool(summary = "List the files")]
fn list(app: &Arc<App>) {}

fn nothing() -> Registry<()> {
    pd_runtime::registry! { search }
}

fn registry() -> Registry<App> {
    pd_runtime::registry! { list }
}

fn main() {}

/* mend
-fn list(app: &Arc<App>) {}
+fn list(app: &App) {}

-fn nothing() -> Registry<()> {
+fn nothing() -> Registry<App> {
*/
