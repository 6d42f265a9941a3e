//! A faulty tool breaks neither its callers nor the registry.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool]
fn status() {}

#[pd_tool(summary = "Search the files' text", related(status))]
fn search(text: String) {}

fn registry() -> Registry<()> {
    status();
    pd_runtime::registry! { status, search }
}

fn main() {}

/* mend
-#[pd_tool]
-fn status() {}
+#[pd_tool(summary = "Show what has changed")]
+fn status() {}
*/
