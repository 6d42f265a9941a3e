//! The server's state cannot lend what a tool borrows.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;
struct App;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

fn registry() -> Registry<App> {
    pd_runtime::registry! { Repo::status }
}

fn main() {}

/* mend
-struct App;
+
+#[derive(State)]
+struct App {
+    repo: Repo,
+}
*/
