//! Two tools have one name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}
}

mod server {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Tell how the server is")]
    pub fn status() {}
}

#[pd_tool(summary = "Tell where the build is", name = "status")]
fn build() {}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! {
        Repo::status,
        /// The server.
        server: server::status,
        build,
    }
}

fn main() {}

/* mend
-    #[pd_tool(summary = "Tell how the server is")]
+    #[pd_tool(summary = "Tell how the server is", name = "server_status")]

-#[pd_tool(summary = "Tell where the build is", name = "status")]
+#[pd_tool(summary = "Tell where the build is", name = "build_status")]
*/
